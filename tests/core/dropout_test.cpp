#include "core/dropout.h"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

TEST(Dropout, ReadsLaneJMod4OfCounterJOver4RowHeadBatch) {
  const std::uint64_t seed = 0x123456789abcdef0;
  for (std::int64_t j = 0; j < 9; ++j) {
    const auto lanes = philox4x32({static_cast<std::uint32_t>(j / 4), 11, 5, 2}, {0x9abcdef0, 0x12345678});
    const double u = lanes[static_cast<std::size_t>(j % 4)] * 0x1p-32;
    EXPECT_EQ(dropout_keeps(seed, 0.4, 2, 5, 11, j), !(u < 0.4));
  }
}

TEST(Dropout, ProbabilityZeroKeepsAll) {
  for (std::int64_t j = 0; j < 1000; ++j) EXPECT_TRUE(dropout_keeps(3, 0.0, 0, 0, 0, j));
}

TEST(Dropout, TheEdgeIsDroppedWhenBelowAndKeptWhenEqual) {
  EXPECT_TRUE(dropout_lane_keeps(0x80000000, 0.5));
  EXPECT_FALSE(dropout_lane_keeps(0x7fffffff, 0.5));
}

TEST(Dropout, DropsAboutItsShareInEveryIndex) {
  const auto kept = [](auto&& keeps) {
    int n = 0;
    for (std::int64_t x = 0; x < 4000; ++x) n += keeps(x) ? 1 : 0;
    return n;
  };
  // 4,000 draws at 0.25: 3,000 kept, standard deviation 27; the bounds are 6 of them.
  const auto fair = [&](int n) { return n > 2836 && n < 3164; };
  EXPECT_TRUE(fair(kept([](std::int64_t x) { return dropout_keeps(1, 0.25, x, 0, 0, 0); })));
  EXPECT_TRUE(fair(kept([](std::int64_t x) { return dropout_keeps(1, 0.25, 0, x, 0, 0); })));
  EXPECT_TRUE(fair(kept([](std::int64_t x) { return dropout_keeps(1, 0.25, 0, 0, x, 0); })));
  EXPECT_TRUE(fair(kept([](std::int64_t x) { return dropout_keeps(1, 0.25, 0, 0, 0, x); })));
  EXPECT_TRUE(
      fair(kept([](std::int64_t x) { return dropout_keeps(static_cast<std::uint64_t>(x), 0.25, 0, 0, 0, 0); })));
}

}  // namespace
}  // namespace ringscope
