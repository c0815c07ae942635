// uniform: Q = K = 0, so every weight is 1 / count and sums of small integers are exact in any order: a key that is
// lost or met twice shows at once. O is one division away from integers (docs/numerics.md, "Exact fills").
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense_rows.h"
#include "core/fill_kinds.h"

namespace ringscope {

namespace {

constexpr std::int64_t largest_value = 8;  // of |v|: exact in every type
constexpr double exact_limit = 0x1p24;

std::optional<std::string> refuse_uniform(const Problem& problem) {
  if (problem.terms.alibi) return "uniform without alibi: its scores are all 0";
  if (problem.terms.dropout != 0 && problem.terms.dropout != 0.5) {
    return "uniform with dropout=0.5 or none: only then is 1 / (1 - p) exact";
  }
  if (2.0 * largest_value * static_cast<double>(problem.len_kv) >= exact_limit) {
    return "uniform with Skv below 2^20: its sums are exact in fp32";
  }
  return std::nullopt;
}

Inputs make_uniform(const Problem& problem, std::uint64_t seed) {
  Inputs inputs;
  inputs.q = Tensor(problem.shape_q());
  inputs.k = Tensor(problem.shape_k());
  inputs.v = small_integers(problem.shape_v(), largest_value, Draw(seed, Stream::v));
  fill_rest(problem, seed, inputs);
  std::fill(inputs.sink_logit.begin(), inputs.sink_logit.end(), 0.0);
  return inputs;
}

// The sum is exact, the quotient rounds once to the compute type, then once to the storage type.
double stored_quotient(const Problem& problem, double sum, double count) {
  const ElementType compute = problem.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
  return round_to(output_type(problem.type), round_to(compute, sum / count));
}

std::optional<ExactOutputs> exact_uniform(const Problem& problem, std::uint64_t, const Inputs& inputs) {
  ExactOutputs out{.o = Tensor(problem.shape_o()), .lse = Tensor(problem.shape_lse()), .lse_ulps = 1};
  const MaskRows mask = problem.mask_rows();
  std::vector<double> sum(static_cast<std::size_t>(problem.dim_v));
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      for (std::int64_t i = 0; i < problem.len_q; ++i) {
        const KeyInterval keys = mask.row(b, i);
        DropoutRow dropout(problem, inputs.dropout_seed, b, h, i);
        std::fill(sum.begin(), sum.end(), 0.0);
        for_each_key(keys, [&](std::int64_t j) {
          const double factor = dropout.factor<double>(j);
          const double* v = inputs.v.row(b, h / problem.group(), j);
          for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += factor * v[d];
        });
        const auto count = static_cast<double>(keys.size() + (problem.terms.sink_logit ? 1 : 0));
        *out.lse->row(b, h, i) = count > 0 ? std::log(count) : -std::numeric_limits<double>::infinity();
        double* o = out.o->row(b, h, i);
        for (const double x : sum) *o++ = count > 0 ? stored_quotient(problem, x, count) : 0;
      }
    }
  }
  if (problem.has_backward()) {  // sums of products with Q = K = 0
    out.dq = Tensor(problem.shape_q());
    out.dk = Tensor(problem.shape_k());
  }
  return out;
}

}  // namespace

const FillKind uniform_fill{
    {Fill::uniform, "uniform", "Q = K = 0 and integer V: every key counts the same, O is exact by one division"},
    refuse_uniform,
    make_uniform,
    exact_uniform};

}  // namespace ringscope
