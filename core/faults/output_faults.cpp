// Numeric faults of outputs: right rows that come home to the wrong place.
#include <algorithm>
#include <utility>

#include "core/element_type.h"
#include "core/faults/places.h"

namespace ringscope {

namespace {

std::vector<std::int64_t> rows_of_rank(const Layout& layout, Side side, int rank) {
  std::vector<std::int64_t> out;
  for (int b = rank * layout.blocks_per_rank; b < (rank + 1) * layout.blocks_per_rank; ++b) {
    for (const std::int64_t p : layout.block(side, b).positions()) out.push_back(p);
  }
  return out;
}

// The rows of `to` become those of `from`; rows that `from` does not have become 0.
void take_rows(Tensor& tensor, const Tensor& right, const std::vector<std::int64_t>& to,
               const std::vector<std::int64_t>& from) {
  for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
    for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
      for (std::size_t n = 0; n < to.size(); ++n) {
        double* row = tensor.row(b, h, to[n]);
        std::fill_n(row, tensor.shape.dim, 0.0);
        if (n < from.size()) std::copy_n(right.row(b, h, from[n]), tensor.shape.dim, row);
      }
    }
  }
}

bool happens_on(int rank, int r) {
  return rank < 0 || rank == r;
}

// The last hop is not made: rank r takes for its own what would have gone on to rank r + 1.
void stop_one_hop_short(const Plan& plan, int rank, Outputs& outputs) {
  const Outputs right = outputs;
  const int n = plan.layout.ranks;
  for (int r = 0; r < n; ++r) {
    if (!happens_on(rank, r)) continue;
    const auto to = rows_of_rank(plan.layout, Side::kv, r), from = rows_of_rank(plan.layout, Side::kv, (r + 1) % n);
    take_rows(outputs.dk, right.dk, to, from);
    take_rows(outputs.dv, right.dv, to, from);
  }
}

// Rank r holds the gradients of rank r - 1.
void misdeliver(const Plan& plan, int rank, Outputs& outputs) {
  const Outputs right = outputs;
  const int n = plan.layout.ranks;
  for (int r = 0; r < n; ++r) {
    if (!happens_on(rank, r)) continue;
    const auto to = rows_of_rank(plan.layout, Side::kv, r), from = rows_of_rank(plan.layout, Side::kv, (r + n - 1) % n);
    take_rows(outputs.dk, right.dk, to, from);
    take_rows(outputs.dv, right.dv, to, from);
  }
}

// The pair (received, sent) of the last hop is taken for the pair (dK, dV).
void unpack_last_hop(const Plan& plan, int rank, Outputs& outputs) {
  for (std::size_t n = 0; n < outputs.dk.values.size(); ++n) outputs.dk.values[n] += outputs.dv.values[n];
  Outputs sum = outputs;
  sum.dv = sum.dk;
  stop_one_hop_short(plan, rank, sum);
  outputs.dv = sum.dv;
}

bool moves_gradients_home(const Plan& plan, int rank) {
  for (const Move& m : plan.schedule.moves) {
    const bool dkv = m.tensor == TensorKind::dkv && m.to != nobody && m.to != m.from && plan.rows(m.slice()) > 0;
    if (dkv) return !rows_of_rank(plan.layout, Side::kv, rank).empty();
  }
  return false;
}

// Every row of these ranks, changed and rounded as outputs are.
template <class Change>
void change_rows(const Plan& plan, int rank, Side side, Tensor& tensor, const Change& change) {
  const ElementType type = output_type(plan.problem.type);
  for (int r = 0; r < plan.layout.ranks; ++r) {
    if (!happens_on(rank, r)) continue;
    for (const std::int64_t p : rows_of_rank(plan.layout, side, r)) {
      for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
        for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
          for (std::int64_t d = 0; d < tensor.shape.dim; ++d) {
            double& x = tensor.row(b, h, p)[d];
            x = round_to(type, change(x));
          }
        }
      }
    }
  }
}

enum class Gradients { dk, dq, dq_and_dk, dk_and_dv };

// The gradients of one side or both, times a factor that the problem gives.
auto multiplied(Gradients which, double (*factor)(const Problem&)) {
  return [=](const Plan& plan, int rank, Outputs& outputs) {
    const auto by = [f = factor(plan.problem)](double x) { return x * f; };
    if (which == Gradients::dq || which == Gradients::dq_and_dk) change_rows(plan, rank, Side::q, outputs.dq, by);
    if (which != Gradients::dq) change_rows(plan, rank, Side::kv, outputs.dk, by);
    if (which == Gradients::dk_and_dv) change_rows(plan, rank, Side::kv, outputs.dv, by);
  };
}

double without_scale(const Problem& p) {
  return 1 / p.scale();
}

double of_group(const Problem& p) {
  return 1 / static_cast<double>(p.group());
}

void swap_gradients(const Plan& plan, int rank, Outputs& outputs) {
  const Outputs right = outputs;
  for (int r = 0; r < plan.layout.ranks; ++r) {
    if (!happens_on(rank, r)) continue;
    const auto rows = rows_of_rank(plan.layout, Side::kv, r);
    take_rows(outputs.dk, right.dv, rows, rows);
    take_rows(outputs.dv, right.dk, rows, rows);
  }
}

// Heads 0 and 1, or batch items 0 and 1.
enum class Exchanged { heads, batches };
auto exchanged(Exchanged what) {
  return [what](const Plan& plan, int rank, Outputs& outputs) {
    for (int r = 0; r < plan.layout.ranks; ++r) {
      if (!happens_on(rank, r)) continue;
      for (const std::int64_t p : rows_of_rank(plan.layout, Side::q, r)) {
        for (std::int64_t n = 0; n < (what == Exchanged::heads ? outputs.o.shape.batch : outputs.o.shape.heads); ++n) {
          double* a = what == Exchanged::heads ? outputs.o.row(n, 0, p) : outputs.o.row(0, n, p);
          double* b = what == Exchanged::heads ? outputs.o.row(n, 1, p) : outputs.o.row(1, n, p);
          std::swap_ranges(a, a + outputs.o.shape.dim, b);
        }
      }
    }
  };
}

std::vector<std::int64_t> in_rank_order(const Layout& layout, Side side) {
  std::vector<std::int64_t> out;
  for (int r = 0; r < layout.ranks; ++r) {
    for (const std::int64_t p : rows_of_rank(layout, side, r)) out.push_back(p);
  }
  return out;
}

// Row n of an output is the n-th row in the ranks' local order.
void leave_in_rank_order(const Plan& plan, int, Outputs& outputs) {
  const Outputs right = outputs;
  for (const Side side : {Side::q, Side::kv}) {
    const auto from = in_rank_order(plan.layout, side);
    auto to = from;
    std::sort(to.begin(), to.end());
    if (side == Side::q) {
      take_rows(outputs.o, right.o, to, from);
      take_rows(outputs.lse, right.lse, to, from);
      if (!outputs.dq.empty()) take_rows(outputs.dq, right.dq, to, from);
    } else if (!outputs.dk.empty()) {
      take_rows(outputs.dk, right.dk, to, from);
      take_rows(outputs.dv, right.dv, to, from);
    }
  }
}

bool is_permuted(const Plan& plan, int) {
  const auto q = in_rank_order(plan.layout, Side::q), kv = in_rank_order(plan.layout, Side::kv);
  return !std::is_sorted(q.begin(), q.end()) || (plan.problem.has_backward() && !std::is_sorted(kv.begin(), kv.end()));
}

// One value of O, of the rank's first row.
void change_one_element(const Plan& plan, int rank, Outputs& outputs) {
  const std::int64_t row = rows_of_rank(plan.layout, Side::q, std::max(rank, 0)).front();
  double& x = outputs.o.row(0, 0, row)[0];
  x = x == 0 ? 1 : -x;
}

FaultKind output_fault(std::string_view name, std::string_view sentence,
                       std::function<bool(const Plan& plan, int rank)> is,
                       std::function<void(const Plan&, int rank, Outputs&)> came_home) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = homes_where(std::move(is));
  kind.mishap = [came_home = std::move(came_home)](const Plan&) {
    Mishap mishap;
    mishap.came_home = came_home;
    return mishap;
  };
  return kind;
}

auto with_backward(std::function<bool(const Problem&)> is) {
  return [is = std::move(is)](const Plan& plan, int rank) {
    return plan.problem.has_backward() && is(plan.problem) && !rows_of_rank(plan.layout, Side::kv, rank).empty();
  };
}

bool has_scale(const Problem& p) {
  return p.scale() != 1;
}

}  // namespace

std::vector<FaultKind> output_faults() {
  const auto has_query_rows = [](const Plan& plan, int rank) {
    return !rows_of_rank(plan.layout, Side::q, rank).empty();
  };
  FaultKind element = output_fault("one-element", "a single element is wrong", has_query_rows, change_one_element);
  element.spread = FaultSpread::one_place;
  FaultKind order =
      output_fault("output-not-unpermuted", "outputs lie in the ranks' local order", is_permuted, leave_in_rank_order);
  return {
      output_fault("dkv-one-hop-short", "dK and dV stop one hop short of home, and are taken for the rank's own",
                   moves_gradients_home, stop_one_hop_short),
      output_fault("dkv-misdelivered", "dK and dV came home to the wrong rank", moves_gradients_home, misdeliver),
      output_fault(
          "last-hop-unpacked", "the pair (received, sent) of the last hop is taken for the pair (dK, dV)",
          [](const Plan& plan, int r) {
            return plan.problem.dim_qk == plan.problem.dim_v && moves_gradients_home(plan, r);
          },
          unpack_last_hop),
      output_fault("dk-no-scale", "dK lacks the scale factor", with_backward(has_scale),
                   multiplied(Gradients::dk, without_scale)),
      output_fault("dq-no-scale", "dQ lacks the scale factor", with_backward(has_scale),
                   multiplied(Gradients::dq, without_scale)),
      output_fault("ds-no-scale", "dQ and dK lack the scale factor", with_backward(has_scale),
                   multiplied(Gradients::dq_and_dk, without_scale)),
      output_fault("gqa-averaged", "dK and dV are averaged over the query heads of a group instead of summed",
                   with_backward([](const Problem& p) { return p.group() > 1; }),
                   multiplied(Gradients::dk_and_dv, of_group)),
      output_fault("dkv-swapped", "dK and dV are exchanged",
                   with_backward([](const Problem& p) { return p.dim_qk == p.dim_v; }), swap_gradients),
      output_fault(
          "heads-swapped", "two heads of the output are exchanged",
          [](const Plan& plan, int rank) {
            return plan.problem.heads_q > 1 && !rows_of_rank(plan.layout, Side::q, rank).empty();
          },
          exchanged(Exchanged::heads)),
      output_fault(
          "batches-swapped", "two batch entries of the output are exchanged",
          [](const Plan& plan, int rank) {
            return plan.problem.batch > 1 && !rows_of_rank(plan.layout, Side::q, rank).empty();
          },
          exchanged(Exchanged::batches)),
      order,
      element,
  };
}

}  // namespace ringscope
