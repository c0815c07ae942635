#include "backends/cpu/landing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ringscope::cpu {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

TEST(MergeState, LeavesTheOthersBitsWhenOneSideIsEmpty) {
  const std::vector<double> some = {0.3, -7, 1.7, 1e-300, 0.1, -0.2, 3, -0.0};  // two rows, Dv = 2
  const std::vector<double> empty = {none, none, 0, 0, 0, 0, 0, 0};
  std::vector<double> into = some;
  merge_state(into.data(), empty.data(), 2, 2);
  EXPECT_EQ(into, some);
  into = empty;
  merge_state(into.data(), some.data(), 2, 2);
  EXPECT_EQ(into, some);
  EXPECT_TRUE(std::signbit(into[7]));
}

TEST(MergeState, IsTheStateOfTheUnion) {
  for (const double m1 : {-3.0, 0.5, 4.0}) {
    const double m2 = 0.5, m = std::max(m1, m2);
    std::vector<double> into = {m1, 2, 6};
    const std::vector<double> from = {m2, 3, -1};
    merge_state(into.data(), from.data(), 1, 1);
    EXPECT_EQ(into[0], m);
    EXPECT_NEAR(into[1], 2 * std::exp(m1 - m) + 3 * std::exp(m2 - m), 1e-15);
    EXPECT_NEAR(into[2], 6 * std::exp(m1 - m) - std::exp(m2 - m), 2e-15);
  }
}

TEST(FinishState, NormalisesAndRounds) {
  const std::vector<double> state = {2, 3, 1, -2};  // m, l, O
  std::vector<double> out(3);
  finish_state<double>(state.data(), 1, 2, {}, ElementType::f64, out.data());
  EXPECT_EQ(out[0], 1.0 / 3);
  EXPECT_EQ(out[1], -2.0 / 3);
  EXPECT_DOUBLE_EQ(out[2], 2 + std::log(3.0));
  finish_state<double>(state.data(), 1, 2, {}, ElementType::bf16, out.data());
  EXPECT_EQ(out[0], round_to(ElementType::bf16, 1.0 / 3));
}

TEST(FinishState, GivesEmptyRowsZeroAndTheSink) {
  const std::vector<float> state = {-std::numeric_limits<float>::infinity(), 0, 0, 0};
  std::vector<float> out(3, 7.0F);
  finish_state<float>(state.data(), 1, 2, {}, ElementType::f32, out.data());
  EXPECT_EQ(out, (std::vector<float>{0, 0, -std::numeric_limits<float>::infinity()}));
  finish_state<float>(state.data(), 1, 2, 1.25F, ElementType::f32, out.data());
  EXPECT_EQ(out, (std::vector<float>{0, 0, 1.25F}));
}

TEST(FinishState, LetsTheSinkTakeItsShare) {
  for (const double sink : {-2.0, 0.0, 5.0}) {
    const std::vector<double> state = {1, 4, 2};
    std::vector<double> out(2);
    finish_state<double>(state.data(), 1, 1, sink, ElementType::f64, out.data());
    const double lse = std::log(4 * std::exp(1.0) + std::exp(sink));
    EXPECT_NEAR(out[1], lse, 1e-15 * std::abs(lse));
    EXPECT_NEAR(out[0], 2 * std::exp(1 - lse), 1e-15);
  }
}

TEST(FinishStats, IsTheLseAndTheRowSumOfTheProduct) {
  const std::vector<double> out = {1, 2, 3, 4, -1, -2}, d_o = {5, 6, 7, 8};  // two rows, Dv = 2
  std::vector<double> stats(4);
  finish_stats<double>(out.data(), d_o.data(), 2, 2, stats.data());
  EXPECT_EQ(stats, (std::vector<double>{-1, -2, 17, 53}));
}

TEST(SinkGradient, IsTheDerivativeOfTheOutput) {
  const std::vector<double> state = {1, 4, 2}, d_o = {3};
  const auto loss = [&](double sink) {
    std::vector<double> out(2);
    finish_state<double>(state.data(), 1, 1, sink, ElementType::f64, out.data());
    return d_o[0] * out[0];
  };
  std::vector<double> out(2), stats(2);
  finish_state<double>(state.data(), 1, 1, 0.5, ElementType::f64, out.data());
  finish_stats<double>(out.data(), d_o.data(), 1, 1, stats.data());
  EXPECT_NEAR(sink_gradient<double>(stats.data(), 1, 0.5), (loss(0.5 + 1e-5) - loss(0.5 - 1e-5)) / 2e-5, 1e-9);
}

}  // namespace
}  // namespace ringscope::cpu
