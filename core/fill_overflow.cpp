// overflow: scores of several thousands, exact in fp32, so that an exp without its maximum overflows and nothing else
// can excuse an error.
#include <cmath>

#include "core/fill_kinds.h"

namespace ringscope {

namespace {

constexpr std::int64_t largest_integer = 8;  // of the integers: exact in every type

// Q and K are integers times these powers of two.
struct Powers {
  double q = 1, k = 1;
};

// The standard deviation of the scores comes to lie between 2,048 and 4,096: extremes near 1e4.
Powers powers_of(const Problem& problem) {
  constexpr double mean_square = 24;  // of integers between -8 and 8
  const double unscaled = mean_square * std::sqrt(static_cast<double>(problem.dim_qk)) * problem.scale();
  const int exponent = static_cast<int>(std::floor(std::log2(4096 / unscaled)));
  const int half = static_cast<int>(std::floor(exponent / 2.0));
  return {std::ldexp(1.0, exponent - half), std::ldexp(1.0, half)};
}

bool holds_integers_times(ElementType type, double power) {
  for (std::int64_t n = 1; n <= largest_integer; ++n) {
    const double value = static_cast<double>(n) * power;
    if (round_to(type, value) != value) return false;
  }
  return true;
}

std::optional<std::string> refuse_overflow(const Problem& problem) {
  int exponent = 0;
  if (problem.scale() <= 0 || std::frexp(problem.scale(), &exponent) != 0.5) {
    return "a scale that is a power of two, like scale=0.25: the scores of overflow are exact";
  }
  if (problem.terms.softcap > 0) return "overflow without softcap: its scores are exact";
  if (problem.terms.alibi) return "overflow without alibi: its scores are exact";
  if (problem.terms.rope_base > 0) return "overflow without rope: its scores are exact";
  const Powers powers = powers_of(problem);
  if (!holds_integers_times(problem.type, powers.q) || !holds_integers_times(problem.type, powers.k)) {
    return "a scale nearer to 1: " + std::string(name_of(problem.type)) +
           " does not hold the values that overflow needs";
  }
  return std::nullopt;
}

Inputs make_overflow(const Problem& problem, std::uint64_t seed) {
  const Powers powers = powers_of(problem);
  Inputs inputs;
  inputs.q = small_integers(problem.shape_q(), largest_integer, Draw(seed, Stream::q));
  inputs.k = small_integers(problem.shape_k(), largest_integer, Draw(seed, Stream::k));
  for (double& x : inputs.q.values) x *= powers.q;
  for (double& x : inputs.k.values) x *= powers.k;
  inputs.v = normals(problem.shape_v(), problem.type, Draw(seed, Stream::v));
  fill_rest(problem, seed, inputs);
  return inputs;
}

std::optional<ExactOutputs> exact_overflow(const Problem&, std::uint64_t, const Inputs&) {
  return std::nullopt;
}

}  // namespace

const FillKind overflow_fill{
    {Fill::overflow, "overflow", "integers whose exact scores reach 1e4: exp without its maximum overflows"},
    refuse_overflow,
    make_overflow,
    exact_overflow};

}  // namespace ringscope
