#include "core/pair_weight.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dense_rows.h"

namespace ringscope {

namespace {

// One row of Q or K as the score sees it: turned to its position where there is RoPE.
std::vector<double> row_at(const Tensor& x, std::int64_t batch, std::int64_t head, std::int64_t row, double rope_base,
                           std::int64_t position) {
  const double* values = x.row(batch, head, row);
  std::vector<double> out(values, values + x.shape.dim);
  if (rope_base > 0) Rotation<double>(rope_base, x.shape.dim, 1, position).turn(0, out.data());
  return out;
}

}  // namespace

PairWeight pair_weight(const Problem& problem, const Inputs& inputs, const PairAt& pair) {
  const MaskRows mask = problem.mask_rows();
  const KeyInterval keys = mask.row(pair.batch, pair.i);
  PairWeight out{.allowed = keys.contains(pair.j), .keys = keys.size()};
  if (!out.allowed) return out;
  const double base = problem.terms.rope_base;
  const std::int64_t p = mask.key_position(pair.i);
  const std::vector<double> q = row_at(inputs.q, pair.batch, pair.head, pair.i, base, p);  // [Dqk]
  const Scorer<double> scorer(problem, inputs);
  std::vector<double> scores;
  for_each_key(keys, [&](std::int64_t j) {
    const std::vector<double> k = row_at(inputs.k, pair.batch, pair.head / problem.group(), j, base, j);  // [Dqk]
    scores.push_back(scorer(dot(q.data(), k.data(), problem.dim_qk), pair.head, p, j).value);
    if (j == pair.j) out.score = scores.back();
  });
  double m = *std::max_element(scores.begin(), scores.end());
  const bool has_sink = !inputs.sink_logit.empty();
  const double sink = has_sink ? inputs.sink_logit[static_cast<std::size_t>(pair.head)] : 0;
  if (has_sink) m = std::max(m, sink);
  double l = has_sink ? std::exp(sink - m) : 0;
  for (const double s : scores) l += std::exp(s - m);
  out.weight = std::exp(out.score - m) / l;
  out.kept = DropoutRow(problem, inputs.dropout_seed, pair.batch, pair.head, pair.i).factor<double>(pair.j);
  out.heavier = std::count_if(scores.begin(), scores.end(), [&](double s) { return s > out.score; });
  return out;
}

}  // namespace ringscope
