// Rotary position embedding (Su et al. 2021, the half-split pairing of GPT-NeoX): the pair (x[d], x[d + D/2]) turns by
// position * base^(-2d/D).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ringscope {

// fp64 angles, sines and cosines from core/math.h, rounded once to Real. An angle is known to 20 u of itself
// (u = 2^-53): that is the error of its frequency, and docs/numerics.md counts it.
template <class Real>
class RopeTable {
 public:
  // One row of the table per position; dim_qk is even.
  RopeTable(double base, std::int64_t dim_qk, std::span<const std::int64_t> positions);

  void turn(std::int64_t row, Real* x) const;       // x [Dqk], in place
  void turn_back(std::int64_t row, Real* x) const;  // the inverse, for gradients

 private:
  std::int64_t half_;
  std::vector<Real> cosines_, sines_;  // [rows, Dqk/2]
};

// base^(-2d/D), radians per position.
double rope_frequency(double base, std::int64_t d, std::int64_t dim_qk);

extern template class RopeTable<float>;
extern template class RopeTable<double>;
extern template class RopeTable<long double>;

}  // namespace ringscope
