#include "core/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace ringscope {
namespace {

TEST(Rope, FrequenciesArePowersOfTheBase) {
  for (const double base : {10.0, 10000.0, 5e5}) {
    for (std::int64_t d = 0; d < 32; ++d) {
      const long double want = std::pow(static_cast<long double>(base), -2.0L * static_cast<long double>(d) / 64);
      EXPECT_NEAR(rope_frequency(base, d, 64) / static_cast<double>(want), 1, 20 * 0x1p-53) << base << " " << d;
    }
  }
  EXPECT_EQ(rope_frequency(10000, 0, 64), 1);
}

TEST(Rope, TurnsEachPairByItsAngle) {
  const std::vector<std::int64_t> positions = {-7, 0, 3, 1 << 24};
  const RopeTable<double> table(100, 4, positions);
  for (std::size_t row = 0; row < positions.size(); ++row) {
    std::vector<double> x = {1, 2, -3, 0.5};
    table.turn(static_cast<std::int64_t>(row), x.data());
    const std::vector<double> frequencies = {1, rope_frequency(100, 1, 4)};
    for (std::size_t d = 0; d < 2; ++d) {
      const double angle = static_cast<double>(positions[row]) * frequencies[d];
      const double a = d == 0 ? 1 : 2, b = d == 0 ? -3 : 0.5;
      EXPECT_NEAR(x[d], a * std::cos(angle) - b * std::sin(angle), 2e-15);
      EXPECT_NEAR(x[d + 2], a * std::sin(angle) + b * std::cos(angle), 2e-15);
    }
  }
}

TEST(Rope, TurnBackUndoesTurn) {
  std::vector<std::int64_t> positions(50);
  std::iota(positions.begin(), positions.end(), 1000000);
  const RopeTable<float> table(10000, 6, positions);
  for (std::int64_t row = 0; row < 50; ++row) {
    std::vector<float> x = {1, 2, -3, 0.5F, 7, -1};
    const std::vector<float> before = x;
    table.turn(row, x.data());
    EXPECT_NE(x, before);
    table.turn_back(row, x.data());
    for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(x[d], before[d], 4e-6);  // a few roundings of values up to 8
  }
}

// What RoPE is for: q.k depends on the distance alone.
TEST(Rope, ProductsDependOnTheDistanceAlone) {
  const std::vector<std::int64_t> positions = {5, 12, 105, 112};
  const RopeTable<double> table(10000, 8, positions);
  const auto product = [&](std::int64_t i, std::int64_t j) {
    std::vector<double> q = {1, 2, 3, 4, 5, 6, 7, 8}, k = {2, -1, 0, 3, 1, 1, -2, 5};
    table.turn(i, q.data());
    table.turn(j, k.data());
    return std::inner_product(q.begin(), q.end(), k.begin(), 0.0);
  };
  EXPECT_NEAR(product(0, 1), product(2, 3), 1e-12);
  EXPECT_GT(std::abs(product(0, 1) - product(0, 2)), 1);
}

}  // namespace
}  // namespace ringscope
