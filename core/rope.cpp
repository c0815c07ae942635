#include "core/rope.h"

#include <cmath>

#include "core/error.h"
#include "core/math.h"

namespace ringscope {

double rope_frequency(double base, std::int64_t d, std::int64_t dim_qk) {
  return math::exp(-2 * static_cast<double>(d) / static_cast<double>(dim_qk) * math::log(base));
}

template <class Real>
RopeTable<Real>::RopeTable(double base, std::int64_t dim_qk, std::span<const std::int64_t> positions)
    : half_(dim_qk / 2) {
  ensure(dim_qk % 2 == 0, "RoPE turns pairs: Dqk must be even");
  std::vector<double> frequencies;  // [Dqk/2]
  for (std::int64_t d = 0; d < half_; ++d) frequencies.push_back(rope_frequency(base, d, dim_qk));
  cosines_.reserve(positions.size() * frequencies.size());
  sines_.reserve(positions.size() * frequencies.size());
  for (const std::int64_t position : positions) {
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(position) * frequency;
      cosines_.push_back(static_cast<Real>(math::cos(angle)));
      sines_.push_back(static_cast<Real>(math::sin(angle)));
    }
  }
}

template <class Real>
void RopeTable<Real>::turn(std::int64_t row, Real* x) const {
  const Real* c = cosines_.data() + row * half_;
  const Real* s = sines_.data() + row * half_;
  for (std::int64_t d = 0; d < half_; ++d) {
    const Real a = x[d], b = x[d + half_];
    x[d] = std::fma(a, c[d], -(b * s[d]));
    x[d + half_] = std::fma(b, c[d], a * s[d]);
  }
}

template <class Real>
void RopeTable<Real>::turn_back(std::int64_t row, Real* x) const {
  const Real* c = cosines_.data() + row * half_;
  const Real* s = sines_.data() + row * half_;
  for (std::int64_t d = 0; d < half_; ++d) {
    const Real a = x[d], b = x[d + half_];
    x[d] = std::fma(a, c[d], b * s[d]);
    x[d + half_] = std::fma(b, c[d], -(a * s[d]));
  }
}

template class RopeTable<float>;
template class RopeTable<double>;
template class RopeTable<long double>;

}  // namespace ringscope
