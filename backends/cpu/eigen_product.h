// Eigen's products and sums, without those of its paths whose order of sums depends on where the operands lie in
// memory: else the same run could give other bits the next time.
#pragma once
#include <Eigen/Core>
#include <array>
#include <cstdint>

namespace ringscope::cpu {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Real>
using Map = Eigen::Map<Matrix<Real>>;
template <class Real>
using ConstMap = Eigen::Map<const Matrix<Real>>;

// c += a b. Eigen packs both operands of a product, but not those of a small one or of one with a vector.
template <class Real, class A, class B>
void add_product(Map<Real> c, const A& a, const B& b) {
  constexpr Eigen::Index small = EIGEN_GEMM_TO_COEFFBASED_THRESHOLD;
  const Eigen::Index depth = a.cols();
  if (c.rows() > 1 && c.cols() > 1 && depth > 1 && c.rows() + c.cols() + depth >= small) {
    c.noalias() += a * b;
    return;
  }
  for (Eigen::Index row = 0; row < c.rows(); ++row) {
    for (Eigen::Index col = 0; col < c.cols(); ++col) {
      Real sum = 0;
      for (Eigen::Index k = 0; k < depth; ++k) sum += a(row, k) * b(k, col);
      c(row, col) += sum;
    }
  }
}

// In sixteen interleaved sums.
template <class Real>
Real sum_of(const Real* x, std::int64_t n) {
  std::array<Real, 16> lanes{};
  std::int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) lanes[lane] += x[j + static_cast<std::int64_t>(lane)];
  }
  for (std::size_t lane = 0; j < n; ++j, ++lane) lanes[lane] += x[j];
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

}  // namespace ringscope::cpu
