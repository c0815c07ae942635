// Gradients that are right but for a factor, a share or the place where they arrive.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/rank_rows.h"
#include "core/diagnosis/what_if.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

void multiply(Tensor& tensor, double by) {
  for (double& x : tensor.values) x *= by;
}

template <class Change>
void change_gradients(const Evidence& e, std::string detail, const Offer& offer, const Change& change) {
  if (!e.problem.has_backward()) return;
  Outputs outputs = e.right;
  change(outputs);
  offer({std::move(detail), std::move(outputs)});
}

// keys[j] is where the gradient of key j is taken from.
Tensor rows_from(const Tensor& tensor, const std::vector<std::int64_t>& keys) {
  Tensor out(tensor.shape);
  for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
    for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
      for (std::int64_t r = 0; r < tensor.shape.rows; ++r) {
        const double* from = tensor.row(b, h, keys[static_cast<std::size_t>(r)]);
        std::copy(from, from + tensor.shape.dim, out.row(b, h, r));
      }
    }
  }
  return out;
}

// Key j's counterpart, the same local row, on the rank `by` further on; empty when shards differ in length.
std::vector<std::int64_t> keys_of_rank(const Evidence& e, int by) {
  const RankRows rows(*e.layout, e.problem);
  const int n = rows.ranks();
  std::vector<std::vector<std::int64_t>> keys(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < e.problem.len_kv; ++j) {
    const RankRow at = rows.of_key(j);
    auto& mine = keys[static_cast<std::size_t>(at.rank)];
    mine.resize(std::max(mine.size(), static_cast<std::size_t>(at.row + 1)));
    mine[static_cast<std::size_t>(at.row)] = j;
  }
  for (const auto& mine : keys) {
    if (mine.size() != keys[0].size()) return {};
  }
  std::vector<std::int64_t> out;
  for (std::int64_t j = 0; j < e.problem.len_kv; ++j) {
    const RankRow at = rows.of_key(j);
    out.push_back(keys[static_cast<std::size_t>((at.rank + by + n) % n)][static_cast<std::size_t>(at.row)]);
  }
  return out;
}

// One rank keeps its own share of dK and dV; what the others added is lost.
void lose_shares(const Evidence& e, const Offer& offer) {
  if (!e.layout || !e.problem.has_backward() || !e.first_wrong || e.first_wrong->row < 0) return;
  const RankRows rows(*e.layout, e.problem);
  const Output output = *e.first_wrong->output;
  if (output != Output::dk && output != Output::dv) return;
  const int rank = rows.of_key(e.first_wrong->row).rank;
  Mistake mistake;
  mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
    for (Entry& x : entries) x.booked = rows.of_key(x.key).rank != rank || rows.of_query(at.query).rank == rank;
  };
  offer({"rank " + std::to_string(rank), what_if(e.problem, e.inputs, mistake)});
}

// Every rank's dK and dV hold its own share alone.
void keep_own_shares(const Evidence& e, const Offer& offer) {
  if (!e.layout || !e.problem.has_backward()) return;
  const RankRows rows(*e.layout, e.problem);
  Mistake mistake;
  mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
    for (Entry& x : entries) x.booked = rows.of_key(x.key).rank == rows.of_query(at.query).rank;
  };
  offer({{}, what_if(e.problem, e.inputs, mistake)});
}

void misdeliver(const Evidence& e, const Offer& offer) {
  if (!e.layout || !e.problem.has_backward()) return;
  for (int by = 1; by < e.layout->ranks; ++by) {
    const auto keys = keys_of_rank(e, by);
    if (keys.empty()) return;
    change_gradients(e, "rank r holds those of rank r + " + std::to_string(by), offer, [&](Outputs& outputs) {
      outputs.dk = rows_from(outputs.dk, keys);
      outputs.dv = rows_from(outputs.dv, keys);
    });
  }
}

// The pair (received, sent) of the last hop is taken for the pair (dK, dV): ring-attention-pytorch 0.5.20.
void unpack_last_hop(const Evidence& e, const Offer& offer) {
  if (!e.layout || !e.problem.has_backward() || e.problem.dim_qk != e.problem.dim_v) return;
  const auto keys = keys_of_rank(e, 1);
  if (keys.empty()) return;
  change_gradients(e, {}, offer, [&](Outputs& outputs) {
    for (std::size_t n = 0; n < outputs.dk.values.size(); ++n) outputs.dk.values[n] += outputs.dv.values[n];
    outputs.dv = rows_from(outputs.dk, keys);
  });
}

// change(tensor, given) for each gradient that is wrong, which tells how it came about; the detail names them.
template <class Change>
void change_wrong_gradients(const Evidence& e, const Offer& offer, const Change& change) {
  Outputs outputs = e.right;
  std::string detail;
  for (const Output output : {Output::dq, Output::dk, Output::dv}) {
    const Tensor& given = tensor_of(e.given, output);
    const bool is_wrong = e.figures[static_cast<std::size_t>(output)].verdict == Verdict::failed;
    if (given.empty() || !is_wrong) continue;
    const std::optional<std::string> how = change(tensor_of(outputs, output), given);
    if (!how) return;
    detail += (detail.empty() ? "" : ", ") + std::string(name_of(output)) + *how;
  }
  if (!detail.empty()) offer({std::move(detail), std::move(outputs)});
}

bool is_near(double a, double b) {
  return std::abs(a - b) < 0.05 * std::abs(b);
}

struct NamedFactor {
  double factor;
  std::string_view name;
};

// By what a gradient is too large, of the factors that occur; a lack of the scale and an average over the group have
// names of their own.
std::optional<std::string> stretch(const Problem& p, Tensor& right, const Tensor& given) {
  double product = 0, square = 0;
  for (std::size_t n = 0; n < right.values.size(); ++n) {
    if (!std::isfinite(given.values[n])) return std::nullopt;
    product += right.values[n] * given.values[n], square += right.values[n] * right.values[n];
  }
  const double factor = square > 0 ? product / square : 0;
  const double root = std::sqrt(static_cast<double>(p.dim_qk)), group = static_cast<double>(p.group());
  const NamedFactor factors[] = {{root, "sqrt(D)"},
                                 {1 / root, "1/sqrt(D)"},
                                 {p.scale(), "the scale"},
                                 {group, "Hq/Hkv"},
                                 {static_cast<double>(p.batch), "B"},
                                 {0.5, "1/2"},
                                 {2, "2"},
                                 {std::log(2.0), "log 2"},
                                 {1 / std::log(2.0), "1/log 2"},
                                 {1.0 / static_cast<double>(p.batch), "1/B"}};
  for (const NamedFactor& f : factors) {
    const bool has_a_name = is_near(f.factor * p.scale(), 1) || (p.group() > 1 && is_near(f.factor * group, 1));
    if (has_a_name || is_near(f.factor, 1) || std::abs(factor / f.factor - 1) > 0.02) continue;
    multiply(right, f.factor);
    return " by " + std::string(f.name);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Hypothesis> gradient_hypotheses() {
  return {
      {"dk_no_scale", "dK lacks the scale factor",
       [](const Evidence& e, const Offer& offer) {
         change_gradients(e, {}, offer, [&](Outputs& o) { multiply(o.dk, 1 / e.problem.scale()); });
       }},
      {"dq_no_scale", "dQ lacks the scale factor",
       [](const Evidence& e, const Offer& offer) {
         change_gradients(e, {}, offer, [&](Outputs& o) { multiply(o.dq, 1 / e.problem.scale()); });
       }},
      {"ds_no_scale", "dQ and dK lack the scale factor",
       [](const Evidence& e, const Offer& offer) {
         change_gradients(e, {}, offer, [&](Outputs& o) {
           multiply(o.dq, 1 / e.problem.scale());
           multiply(o.dk, 1 / e.problem.scale());
         });
       }},
      {"gqa_averaged", "dK and dV are averaged over the query heads of a group instead of summed",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.group() == 1) return;
         change_gradients(e, {}, offer, [&](Outputs& o) {
           multiply(o.dk, 1 / static_cast<double>(e.problem.group()));
           multiply(o.dv, 1 / static_cast<double>(e.problem.group()));
         });
       }},
      {"gradient_negated", "gradients have the wrong sign",
       [](const Evidence& e, const Offer& offer) {
         change_wrong_gradients(e, offer, [](Tensor& right, const Tensor&) {
           multiply(right, -1);
           return std::optional<std::string>("");
         });
       }},
      {"gradient_zero", "gradients are 0",
       [](const Evidence& e, const Offer& offer) {
         change_wrong_gradients(e, offer, [](Tensor& right, const Tensor&) {
           multiply(right, 0);
           return std::optional<std::string>("");
         });
       }},
      {"gradient_factor", "gradients are too large by a factor",
       [](const Evidence& e, const Offer& offer) {
         change_wrong_gradients(e, offer,
                                [&](Tensor& right, const Tensor& given) { return stretch(e.problem, right, given); });
       }},
      {"dkv_swapped", "dK and dV are exchanged",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.dim_qk != e.problem.dim_v) return;
         change_gradients(e, {}, offer, [](Outputs& o) { std::swap(o.dk, o.dv); });
       }},
      {"delta_missing", "delta is left out of dS",
       [](const Evidence& e, const Offer& offer) {
         if (!e.problem.has_backward()) return;
         Mistake mistake;
         mistake.delta = DeltaFrom::nothing;
         offer({{}, what_if(e.problem, e.inputs, mistake)});
       }},
      {"dkv_lost", "a rank keeps its own share of dK and dV and loses what the others added", lose_shares},
      {"dkv_own_share", "every rank's dK and dV hold its own share alone", keep_own_shares},
      {"dkv_misdelivered", "dK and dV came home to the wrong rank", misdeliver},
      {"last_hop_unpacked", "the pair (received, sent) of the last hop is taken for the pair (dK, dV)",
       unpack_last_hop},
  };
}

}  // namespace ringscope
