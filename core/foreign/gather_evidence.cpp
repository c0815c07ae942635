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

// The owners of query rows first .. first + count, numbered from 0; keys stay where they are.
Layout layout_of_rows(const Layout& layout, std::int64_t first, std::int64_t count) {
  Layout out = layout;
  for (BlockRows& block : out.q) {
    std::vector<Range> ranges;
    for (const std::int64_t position : block.positions()) {
      if (position >= first && position < first + count) ranges.push_back({position - first, 1, 1, 1});
    }
    block = BlockRows(std::move(ranges));
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

std::int64_t affordable_rows(const Problem& problem, double most) {
  const double rows = most / products(problem) * static_cast<double>(problem.len_q);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(rows), std::min<std::int64_t>(8, problem.len_q),
                                  problem.len_q);
}

Foreign some_rows(const Foreign& foreign, std::int64_t first, std::int64_t count) {
  const Problem& all = foreign.problem;
  Foreign out = foreign;
  Problem& p = out.problem;
  p.mask.offset = all.mask_rows().key_position(first);
  p.len_q = count;
  for (const Output of_keys : {Output::dk, Output::dv}) out.outputs[static_cast<std::size_t>(of_keys)] = {};
  if (!out.of(Output::dq).read) p.direction = Direction::forward;
  const auto cut = [&](ReadHead& read, std::int64_t dim) {
    if (!read) return;
    const auto size = static_cast<std::size_t>(all.len_q * dim), begin = static_cast<std::size_t>(first * dim);
    read = [read, size, begin](std::int64_t b, std::int64_t h, std::span<double> rows) {
      std::vector<double> head(size);
      read(b, h, head);
      std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(begin), rows.size(), rows.begin());
    };
  };
  cut(out.q, p.dim_qk), cut(out.d_o, p.dim_v);
  for (const Output output : {Output::o, Output::lse, Output::dq}) {
    cut(out.outputs[static_cast<std::size_t>(output)].read, shape_of(p, output).dim);
  }
  return out;
}

Gathered gather_evidence(const Foreign& foreign, const Judged& judged, const FirstWrong& first,
                         const std::optional<Layout>& layout, int threads) {
  const Problem& p = foreign.problem;
  Gathered out;
  const auto gather = [&](const Foreign& part, const std::optional<Layout>& its_layout) {
    out.evidence = evidence_of(part, judged, threads);
    out.evidence->first_wrong = place_of(first);
    out.evidence->layout = its_layout;
  };
  if (products(p) <= most_products) {
    gather(foreign, layout);
    return out;
  }
  const bool of_keys = first.output == Output::dk || first.output == Output::dv;
  const std::int64_t head_kv = of_keys ? first.rows.head : first.rows.head / p.group();
  const Foreign group = one_group(foreign, first.rows.batch, head_kv);
  const std::int64_t rows = affordable_rows(group.problem, most_products);
  if (p.terms.dropout > 0 || (of_keys && rows < p.len_q)) {
    out.remark = "too large to diagnose: " + std::to_string(p.len_q) + " queries by " + std::to_string(p.len_kv) +
                 " keys; a dump of fewer rows can be";
    return out;
  }
  const std::int64_t begin =
      rows < p.len_q ? std::clamp<std::int64_t>(first.rows.row - rows / 2, 0, p.len_q - rows) : 0;
  gather(rows < p.len_q ? some_rows(group, begin, rows) : group,
         layout ? std::optional(layout_of_rows(*layout, begin, rows)) : std::nullopt);
  Place& place = *out.evidence->first_wrong;
  place.batch = 0, place.head -= of_keys ? head_kv : head_kv * p.group();
  if (!of_keys) place.row -= begin;
  out.remark = "the diagnosis saw batch " + std::to_string(first.rows.batch) + ", KV head " + std::to_string(head_kv) +
               (rows < p.len_q ? ", rows " + std::to_string(begin) + " to " + std::to_string(begin + rows - 1) : "") +
               " alone: the whole is too large for it";
  return out;
}

}  // namespace ringscope
