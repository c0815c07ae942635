// The published balance of causal rings, exactly: fractions are compared by cross products of integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

using Steps = std::vector<std::vector<std::int64_t>>;  // [step][rank]

Steps causal_ring(const std::string& schedule, const std::string& layout, int n, std::int64_t rows_per_rank) {
  Problem problem = problem_of(n * rows_per_rank, n * rows_per_rank, Direction::forward_and_backward);
  problem.mask.causal = true;
  Recipe recipe = recipe_of(schedule, {1, n, false});
  recipe.layout.name = layout;
  const Plan plan = make_plan(problem, recipe);
  Steps steps = pairs_by_step(plan, Pass::backward);
  std::erase_if(steps, [](const auto& s) { return std::accumulate(s.begin(), s.end(), std::int64_t{0}) == 0; });
  EXPECT_EQ(steps, pairs_by_step(plan, Pass::forward));
  return steps;
}

std::int64_t sum(const std::vector<std::int64_t>& v) {
  return std::accumulate(v.begin(), v.end(), std::int64_t{0});
}

std::vector<std::int64_t> totals(const Steps& steps) {
  std::vector<std::int64_t> out(steps.front().size(), 0);
  for (const auto& step : steps) {
    for (std::size_t r = 0; r < step.size(); ++r) out[r] += step[r];
  }
  return out;
}

std::int64_t largest_in_each_step(const Steps& steps) {
  std::int64_t out = 0;
  for (const auto& step : steps) out += *std::max_element(step.begin(), step.end());
  return out;
}

// Balance (mean / max of totals) and lockstep efficiency (mean / sum of the steps' maxima) are both a / b.
void expect_both(const Steps& steps, std::int64_t a, std::int64_t b) {
  const auto n = static_cast<std::int64_t>(steps.front().size());
  const auto all = totals(steps);
  EXPECT_EQ(sum(all) * b, n * *std::max_element(all.begin(), all.end()) * a);
  EXPECT_EQ(sum(all) * b, n * largest_in_each_step(steps) * a);
}

TEST(Balance, ZigzagIsExactlyOneInEveryStepWhen2NDividesS) {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const std::int64_t c : {2, 4, 6}) {
      for (const std::vector<std::int64_t>& step : causal_ring("ring", "zigzag", n, c)) {
        for (const std::int64_t pairs : step) EXPECT_EQ(pairs, step.front()) << "N " << n << " c " << c;
      }
    }
  }
}

TEST(Balance, HalvesOfZigzagStayBalancedInTotal) {
  for (const int n : {2, 3, 5, 8}) {
    const auto all = totals(causal_ring("bidi", "zigzag", n, 4));
    for (const std::int64_t pairs : all) EXPECT_EQ(pairs, all.front());
  }
}

TEST(Balance, ContiguousIsItsClosedForm) {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const std::int64_t c : {1, 2, 3, 6}) {
      expect_both(causal_ring("ring", "contiguous", n, c), (c + 1) + (n - 1) * c, (c + 1) + 2 * (n - 1) * c);
    }
  }
}

TEST(Balance, StripedIsItsClosedForm) {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const std::int64_t c : {1, 2, 3, 6}) {
      expect_both(causal_ring("ring", "striped", n, c), n * c + 1, n * (c + 1));
    }
  }
}

}  // namespace
}  // namespace ringscope
