// exp, log, tanh, sin and cos from IEEE operations alone: add, mul, fma, div, comparisons, moves of bits, conversions.
// So the bits are the same on every processor and compiler, whatever the vector width; std:: has no such promise.
// exp, exp2 and tanh have no branches: a loop over a row of them vectorises. Float and double.
//
// Series are Taylor's after a range reduction that makes them short; each degree is the lowest whose first missing
// term lies below a tenth of an ulp. Errors found by test (tests/core/math_test.cpp): exp, exp2, log 1 ulp; tanh 3 ulp;
// sin, cos 2 ulp for |x| <= 2^25.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ringscope::math {

namespace detail {

template <class Real>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float ln2_high = 0x1.62e43p-1f, ln2_low = -0x1.05c61p-29f;
  static constexpr float exp_lowest = -104, exp_highest = 89, exp2_lowest = -151, exp2_highest = 129, tanh_one = 10;
  static constexpr int log_terms = 4;
  static constexpr std::size_t exp_degree = 7;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
  static constexpr double exp_lowest = -746, exp_highest = 710, exp2_lowest = -1076, exp2_highest = 1025, tanh_one = 20;
  static constexpr int log_terms = 10;
  static constexpr std::size_t exp_degree = 13;
};

template <class Real>
using BitsOf = typename Format<Real>::Bits;

// Adding it rounds to an integer, to nearest even, which then lies in the low bits.
template <class Real>
inline constexpr Real rounder = Real(3) * Real(BitsOf<Real>(1) << (Format<Real>::mantissa - 1));

// An integer as a Real and as two's complement bits.
template <class Real>
struct Rounded {
  Real value;
  BitsOf<Real> bits;
};

template <class Real>
inline Rounded<Real> round_product(Real x, Real factor) {
  const Real t = std::fma(x, factor, rounder<Real>);
  return {t - rounder<Real>, std::bit_cast<BitsOf<Real>>(t) - std::bit_cast<BitsOf<Real>>(rounder<Real>)};
}

// 2^n, n in the range of normal numbers.
template <class Real>
inline Real power_of_two(BitsOf<Real> n) {
  using F = Format<Real>;
  return std::bit_cast<Real>(BitsOf<Real>(n + F::bias) << F::mantissa);
}

template <class Real>
inline constexpr std::array<Real, 14> inverse_factorials = [] {
  std::array<Real, 14> c{};
  double factorial = 1;
  for (std::size_t k = 1; k < c.size(); ++k) c[k] = static_cast<Real>(1 / (factorial *= static_cast<double>(k)));
  return c;
}();

// e^r - 1 for |r| <= ln(2)/2. A fold, not a loop: g++ vectorises no loop around another.
template <class Real>
inline Real exp_minus_one_reduced(Real r) {
  constexpr std::size_t degree = Format<Real>::exp_degree;
  const Real sum = [r]<std::size_t... k>(std::index_sequence<k...>) {
    Real horner = inverse_factorials<Real>[degree];
    ((horner = std::fma(horner, r, inverse_factorials<Real>[degree - 1 - k])), ...);
    return horner;
  }
  (std::make_index_sequence<degree - 2>());
  return std::fma(sum, r * r, r);
}

// x * 2^n in two factors, so that subnormal and infinite results come out right; |n| below twice the largest exponent.
template <class Real>
inline Real scale(Real x, BitsOf<Real> n) {
  using F = Format<Real>;
  const BitsOf<Real> half = ((n + 2 * F::bias) >> 1) - F::bias;
  return x * power_of_two<Real>(half) * power_of_two<Real>(n - half);
}

// NaN passes.
template <class Real>
inline Real clamp(Real x, Real low, Real high) {
  const Real y = x < low ? low : x;
  return y > high ? high : y;
}

template <class Real>
struct Reduced {
  Rounded<Real> n;
  Real r;
};

// x = n ln 2 + r; the first fma is exact.
template <class Real>
inline Reduced<Real> reduce_by_ln2(Real x) {
  using F = Format<Real>;
  const Rounded<Real> n = round_product(x, Real(0x1.71547652b82fep+0));
  return {n, std::fma(-n.value, F::ln2_low, std::fma(-n.value, F::ln2_high, x))};
}

struct Quadrant {
  std::uint64_t n;  // of a quarter turn, modulo 4 in the two low bits
  double r;         // what is left, |r| <= pi/4
};

// pi/2 in three parts: good to the last place for |x| <= 2^25 (Cody and Waite 1980, with fma).
inline Quadrant reduce_by_quarter_turn(double x) {
  const Rounded<double> n = round_product(x, 0x1.45f306dc9c883p-1);
  double r = std::fma(-n.value, 0x1.921fb54442d18p+0, x);
  r = std::fma(-n.value, 0x1.1a62633145c07p-54, r);
  return {n.bits, std::fma(-n.value, -0x1.f1976b7ed8fbcp-110, r)};
}

// sum over k of (-1)^k z^k / (2k + offset)!, k <= 8.
template <int offset>
inline double alternating_series(double z) {
  double sum = 1;
  for (int k = 8; k >= 1; --k) sum = std::fma(sum * -z, 1.0 / ((2 * k + offset - 1) * (2 * k + offset)), 1.0);
  return sum;
}

}  // namespace detail

// 0 from -inf to where half the smallest subnormal lies; +inf above the largest finite result.
template <class Real>
inline Real exp(Real x) {
  using F = detail::Format<Real>;
  const auto [n, r] = detail::reduce_by_ln2(detail::clamp(x, F::exp_lowest, F::exp_highest));
  return detail::scale(1 + detail::exp_minus_one_reduced(r), n.bits);
}

// Exact for integers.
template <class Real>
inline Real exp2(Real x) {
  using F = detail::Format<Real>;
  const Real y = detail::clamp(x, F::exp2_lowest, F::exp2_highest);
  const auto n = detail::round_product(y, Real(1));
  const Real f = y - n.value;
  return detail::scale(1 + detail::exp_minus_one_reduced(std::fma(f, F::ln2_high, f * F::ln2_low)), n.bits);
}

// (e^2x - 1) / (e^2x + 1), with e^2x - 1 taken before the 1 is added: right for small x too.
template <class Real>
inline Real tanh(Real x) {
  constexpr Real most = 2 * detail::Format<Real>::tanh_one;
  const auto [n, r] = detail::reduce_by_ln2(std::fabs(detail::clamp(2 * x, -most, most)));
  const Real power = detail::power_of_two<Real>(n.bits);
  const Real e = std::fma(power, detail::exp_minus_one_reduced(r), power - 1);
  return std::copysign(e / (e + 2), x);
}

// -inf at 0, NaN below. With x = 2^k (1 + f), s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)) (fdlibm).
template <class Real>
inline Real log(Real x) {
  using F = detail::Format<Real>;
  using Bits = detail::BitsOf<Real>;
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN();
  if (x == std::numeric_limits<Real>::infinity()) return x;
  int k = 0;
  if (x < std::numeric_limits<Real>::min()) {
    x *= detail::power_of_two<Real>(Bits(F::mantissa + 2));
    k = -(F::mantissa + 2);
  }
  const Bits bits = std::bit_cast<Bits>(x);
  k += static_cast<int>(bits >> F::mantissa) - F::bias;
  constexpr Bits mantissa_bits = (Bits(1) << F::mantissa) - 1;
  Real y = std::bit_cast<Real>((bits & mantissa_bits) | (Bits(F::bias) << F::mantissa));
  if (y > Real(1.41421356)) {
    y *= Real(0.5);
    k += 1;
  }
  const Real f = y - 1;
  const Real s = f / (2 + f);
  const Real z = s * s;
  Real series = 0;
  for (int term = F::log_terms; term >= 1; --term) series = std::fma(series, z, Real(2) / Real(2 * term + 1));
  const Real half_square = Real(0.5) * f * f;
  const Real n = static_cast<Real>(k);
  const Real low = std::fma(s, std::fma(series, z, half_square), n * F::ln2_low);
  return std::fma(n, F::ln2_high, f - (half_square - low));
}

inline double sin(double x) {
  const auto [n, r] = detail::reduce_by_quarter_turn(x);
  const double value = (n & 1) != 0 ? detail::alternating_series<0>(r * r) : r * detail::alternating_series<1>(r * r);
  return (n & 2) != 0 ? -value : value;
}

inline double cos(double x) {
  const auto [n, r] = detail::reduce_by_quarter_turn(x);
  const double value = (n & 1) != 0 ? r * detail::alternating_series<1>(r * r) : detail::alternating_series<0>(r * r);
  return ((n + 1) & 2) != 0 ? -value : value;
}

inline float sin(float x) {
  return static_cast<float>(sin(static_cast<double>(x)));
}
inline float cos(float x) {
  return static_cast<float>(cos(static_cast<double>(x)));
}

}  // namespace ringscope::math
