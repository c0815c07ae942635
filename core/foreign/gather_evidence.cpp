#include "core/foreign/gather_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/foreign/blocked_oracle.h"

namespace ringscope {

namespace {

// Products of one forward; a diagnosis recomputes attention some dozens of times, a few seconds at most.
constexpr double most_products = 3e8;

double products(const Problem& p) {
  return static_cast<double>(p.batch * p.heads_q * p.len_q) * static_cast<double>(p.len_kv * (p.dim_qk + p.dim_v));
}

Tensor whole(const ReadHead& read, Shape shape) {
  Tensor out;
  if (!read) return out;
  out = Tensor(shape);
  const auto head = static_cast<std::size_t>(shape.rows * shape.dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      read(b, h, std::span(out.values).subspan(static_cast<std::size_t>(out.offset(b, h, 0)), head));
    }
  }
  return out;
}

ReadHead shifted(const ReadHead& read, std::int64_t batch, std::int64_t head) {
  if (!read) return {};
  return [=](std::int64_t b, std::int64_t h, std::span<double> rows) { read(b + batch, h + head, rows); };
}

void keep(std::vector<double>& of_heads, std::int64_t first, std::int64_t count) {
  if (!of_heads.empty()) of_heads = {of_heads.begin() + first, of_heads.begin() + first + count};
}

Outputs given_outputs(const Foreign& foreign) {
  const auto output = [&](Output o) { return whole(foreign.of(o).read, shape_of(foreign.problem, o)); };
  return {output(Output::o), output(Output::lse), output(Output::dq), output(Output::dk), output(Output::dv), {}};
}

// What the declared convention wants in rows that see no key.
void set_empty_rows(const Foreign& foreign, Outputs& right) {
  const Problem& p = foreign.problem;
  if (!foreign.terms.sink_logit.empty()) return;
  const MaskRows mask = p.mask_rows();
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < p.len_q; ++i) {
      if (mask.row(b, i).size() > 0) continue;
      for (std::int64_t h = 0; h < p.heads_q; ++h) {
        *right.lse.row(b, h, i) = foreign.empty_lse;
        std::fill_n(right.o.row(b, h, i), p.dim_v, foreign.empty_o);
      }
    }
  }
}

Evidence evidence_of(const Foreign& foreign, const Judged& judged, int threads) {
  const Problem& p = foreign.problem;
  Evidence out;
  out.problem = p;
  out.inputs = foreign.terms;
  out.inputs.q = whole(foreign.q, p.shape_q()), out.inputs.k = whole(foreign.k, p.shape_k());
  out.inputs.v = whole(foreign.v, p.shape_v()), out.inputs.d_o = whole(foreign.d_o, p.shape_o());
  out.given = given_outputs(foreign);
  out.right = blocked_oracle(p, out.inputs, threads);
  set_empty_rows(foreign, out.right);
  for (std::size_t n = 0; n < judged.outputs.size(); ++n) {
    out.figures[n] = judged.outputs[n].figures;
    out.divisor[n] = judged.outputs[n].divisor;
  }
  return out;
}

Place place_of(const FirstWrong& first) {
  Place place;
  place.check = "yardstick";
  place.rank = first.rank, place.kv_block = first.kv_block, place.output = first.output;
  place.batch = first.rows.batch, place.head = first.rows.head, place.row = first.rows.row;
  return place;
}

}  // namespace

Foreign one_group(const Foreign& foreign, std::int64_t batch, std::int64_t head_kv) {
  const std::int64_t group = foreign.problem.group();
  Foreign out = foreign;
  Problem& p = out.problem;
  p.batch = 1, p.heads_q = group, p.heads_kv = 1;
  if (!p.mask.kv_lens.empty()) p.mask.kv_lens = {p.mask.kv_lens[static_cast<std::size_t>(batch)]};
  keep(out.terms.alibi_slope, head_kv * group, group), keep(out.terms.sink_logit, head_kv * group, group);
  if (p.terms.alibi && out.terms.alibi_slope.empty()) {
    for (std::int64_t h = head_kv * group; h < (head_kv + 1) * group; ++h) {
      out.terms.alibi_slope.push_back(
          std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(foreign.problem.heads_q)));
    }
  }
  for (ReadHead* read : {&out.k, &out.v}) *read = shifted(*read, batch, head_kv);
  for (ReadHead* read : {&out.q, &out.d_o}) *read = shifted(*read, batch, head_kv * group);
  for (int n = 0; n < output_kinds; ++n) {
    const bool of_keys = static_cast<Output>(n) == Output::dk || static_cast<Output>(n) == Output::dv;
    ReadHead& read = out.outputs[static_cast<std::size_t>(n)].read;
    read = shifted(read, batch, of_keys ? head_kv : head_kv * group);
  }
  return out;
}

Foreign first_rows(const Foreign& foreign, double most) {
  const Problem& whole_problem = foreign.problem;
  const auto rows = std::max<std::int64_t>(
      64, static_cast<std::int64_t>(most / products(whole_problem) * static_cast<double>(whole_problem.len_q)));
  if (rows >= whole_problem.len_q) return foreign;
  Foreign out = foreign;
  Problem& p = out.problem;
  p.mask.offset = whole_problem.mask_rows().key_position(0);
  p.len_q = rows, p.direction = Direction::forward;
  out.d_o = {};
  for (const Output gradient : {Output::dq, Output::dk, Output::dv})
    out.outputs[static_cast<std::size_t>(gradient)] = {};
  const auto cut = [&](ReadHead& read, std::int64_t dim) {
    if (!read) return;
    const auto all = static_cast<std::size_t>(whole_problem.len_q * dim);
    read = [read, all](std::int64_t b, std::int64_t h, std::span<double> first) {
      std::vector<double> head(all);
      read(b, h, head);
      std::copy_n(head.begin(), first.size(), first.begin());
    };
  };
  cut(out.q, p.dim_qk);
  cut(out.outputs[static_cast<std::size_t>(Output::o)].read, p.dim_v);
  cut(out.outputs[static_cast<std::size_t>(Output::lse)].read, 1);
  return out;
}

Gathered gather_evidence(const Foreign& foreign, const Judged& judged, const FirstWrong& first,
                         const std::optional<Layout>& layout, int threads) {
  Gathered out;
  const Problem& p = foreign.problem;
  if (products(p) <= most_products) {
    out.evidence = evidence_of(foreign, judged, threads);
    out.evidence->first_wrong = place_of(first);
    out.evidence->layout = layout;
    return out;
  }
  const double of_group = products(p) / static_cast<double>(p.batch * p.heads_kv);
  if (of_group > most_products || p.terms.dropout > 0) {
    out.remark = "too large to diagnose: " + std::to_string(p.len_q) + " queries by " + std::to_string(p.len_kv) +
                 " keys; a dump of fewer rows can be";
    return out;
  }
  const bool of_keys = first.output == Output::dk || first.output == Output::dv;
  const std::int64_t head_kv = of_keys ? first.rows.head : first.rows.head / p.group();
  out.evidence = evidence_of(one_group(foreign, first.rows.batch, head_kv), judged, threads);
  out.evidence->first_wrong = place_of(first);
  out.evidence->first_wrong->batch = 0;
  out.evidence->first_wrong->head -= of_keys ? head_kv : head_kv * p.group();
  out.evidence->layout = layout;
  out.remark = "the diagnosis saw batch " + std::to_string(first.rows.batch) + ", KV head " + std::to_string(head_kv) +
               " alone: the whole is too large for it";
  return out;
}

}  // namespace ringscope
