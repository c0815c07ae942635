#include "core/partial_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringscope {

PartialRows::PartialRows(const Plan& plan, const Inputs& inputs, const Outputs& oracle)
    : plan_(plan),
      inputs_(inputs),
      oracle_(oracle),
      mask_(plan.problem.mask_rows()),
      scorer_(plan.problem, inputs),
      q_(inputs.q),
      k_(inputs.k) {
  if (plan.problem.terms.rope_base == 0) return;
  const auto q_turn = q_rotation<double>(plan.problem), k_turn = k_rotation<double>(plan.problem);
  for_each_row(q_, [&](std::int64_t r, double* x) { q_turn.turn(r, x); });
  for_each_row(k_, [&](std::int64_t r, double* x) { k_turn.turn(r, x); });
}

template <class Visit>
void PartialRows::for_each_key_of(std::int64_t batch, std::int64_t row, int kv_block, Visit&& visit) const {
  const KeyInterval keys = mask_.row(batch, row);
  for (const std::int64_t j : plan_.layout.block(Side::kv, kv_block).positions()) {
    if (keys.contains(j)) visit(j);
  }
}

PartialRows::Weight PartialRows::weight(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t key) {
  const Problem& p = plan_.problem;
  const double product = dot(q_.row(batch, head, row), k_.row(batch, head / p.group(), key), p.dim_qk);
  const Score<double> score = scorer_(product, head, mask_.key_position(row), key);
  DropoutRow dropout(p, inputs_.dropout_seed, batch, head, row);
  return {score.value, score.steepness, dropout.factor<double>(key)};
}

double PartialRows::d_score(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t key,
                            const Weight& weight) {
  const Problem& p = plan_.problem;
  const double* d_o = inputs_.d_o.row(batch, head, row);
  const double delta = dot(d_o, oracle_.o.row(batch, head, row), p.dim_v);
  const double d_weight = weight.kept * dot(d_o, inputs_.v.row(batch, head / p.group(), key), p.dim_v);
  const double weight_value = std::exp(weight.score - *oracle_.lse.row(batch, head, row));
  return weight_value * (d_weight - delta) * weight.steepness * scorer_.scale();
}

std::vector<double> PartialRows::of_state(Output output, std::int64_t batch, std::int64_t head, std::int64_t row,
                                          std::span<const Part> parts) {
  const std::int64_t dim_v = plan_.problem.dim_v;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double m = -infinity, l = 0;
  std::vector<double> o(static_cast<std::size_t>(dim_v), 0.0);
  for (const Part& part : parts) {
    for_each_key_of(batch, row, part.kv_block, [&](std::int64_t j) {
      const Weight w = weight(batch, head, row, j);
      const double old = m;
      m = std::max(m, w.score);
      const double shrink = old == -infinity ? 0 : std::exp(old - m), p = std::exp(w.score - m);
      l = l * shrink + p;
      const double* v = inputs_.v.row(batch, head / plan_.problem.group(), j);
      for (std::size_t d = 0; d < o.size(); ++d) o[d] = o[d] * shrink + p * w.kept * v[d];
    });
  }
  const bool empty = l == 0;  // not where a score is NaN
  if (output == Output::lse) return {empty ? -infinity : m + std::log(l)};
  for (double& x : o) x = empty ? 0 : x / l;
  return o;
}

std::vector<double> PartialRows::of_query(std::int64_t batch, std::int64_t head, std::int64_t row,
                                          std::span<const Part> parts) {
  std::vector<double> dq(static_cast<std::size_t>(plan_.problem.dim_qk), 0.0);
  for (const Part& part : parts) {
    for_each_key_of(batch, row, part.kv_block, [&](std::int64_t j) {
      const double ds = d_score(batch, head, row, j, weight(batch, head, row, j));
      const double* k = k_.row(batch, head / plan_.problem.group(), j);
      for (std::size_t d = 0; d < dq.size(); ++d) dq[d] += ds * k[d];
    });
  }
  return dq;
}

std::vector<double> PartialRows::of_key(Output output, std::int64_t batch, std::int64_t, std::int64_t key,
                                        std::span<const Part> parts) {
  const bool is_dk = output == Output::dk;
  std::vector<double> grad(static_cast<std::size_t>(is_dk ? plan_.problem.dim_qk : plan_.problem.dim_v), 0.0);
  for (const Part& part : parts) {
    for (const std::int64_t i : plan_.layout.block(Side::q, part.q_block).positions()) {
      if (!mask_.row(batch, i).contains(key)) continue;
      const Weight w = weight(batch, part.q_head, i, key);
      const double weight_value = std::exp(w.score - *oracle_.lse.row(batch, part.q_head, i)) * w.kept;
      const double factor = is_dk ? d_score(batch, part.q_head, i, key, w) : weight_value;
      const double* x = is_dk ? q_.row(batch, part.q_head, i) : inputs_.d_o.row(batch, part.q_head, i);
      for (std::size_t d = 0; d < grad.size(); ++d) grad[d] += factor * x[d];
    }
  }
  return grad;
}

std::vector<double> PartialRows::values(Output output, std::int64_t batch, std::int64_t head, std::int64_t row,
                                        std::span<const Part> parts) {
  switch (output) {
    case Output::o:
    case Output::lse:
      return of_state(output, batch, head, row, parts);
    case Output::dq:
      return of_query(batch, head, row, parts);
    case Output::dk:
    case Output::dv:
      return of_key(output, batch, head, row, parts);
  }
  return {};
}

}  // namespace ringscope
