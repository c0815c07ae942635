// Every plan that a builder makes is proved: over ranks, layouts, masks, lengths, styles, prune and ring orders.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "core/schedule_check.h"
#include "core/schedules/builders.h"
#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

struct Setting {
  std::int64_t len_q, len_kv;
  LayoutSpec layout;
  Mask mask;
};

// Lengths that do not divide, fewer rows than ranks, cross lengths; masks that leave tiles, rows or keys empty.
std::vector<Setting> settings() {
  return {
      {17, 17, {"zigzag"}, {.causal = true}},
      {29, 29, {"contiguous"}, {.causal = true}},
      {29, 29, {"contiguous"}, {}},
      {3, 14, {"contiguous"}, {.causal = true}},
      {19, 2, {"striped"}, {}},
      {1, 31, {"contiguous"}, {.causal = true}},
      {26, 26, {"striped", 3}, {.window = Window{4, 0}, .sinks = 2}},
      {24, 24, {"zigzag-docs"}, {.causal = true, .docs = {0, 9, 20}}},
      {30, 30, {"contiguous"}, {.causal = true, .chunk = 7}},
      {20, 33, {"zigzag"}, {.causal = true, .offset = -6, .kv_lens = {12}}},
      {6, 6, {"contiguous"}, {.kv_lens = {0}}},
  };
}

std::string first_violation(const Proof& proof) {
  return proof.holds() ? std::string{} : proof.violations.front().sentence;
}

class Schedules : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Schedules, testing::Values(1, 2, 3, 4, 5, 6, 8, 12));

TEST_P(Schedules, AreAllProvedAndTheFactsAreTheTally) {
  for (const Setting& s : settings()) {
    Problem problem = problem_of(s.len_q, s.len_kv, both);
    problem.mask = s.mask;
    for (RecipeCase c : every_recipe(problem, GetParam())) {
      c.recipe.layout = s.layout;
      const Plan plan = make_plan(c.problem, c.recipe);
      const Proof proof = prove(plan);
      ASSERT_TRUE(proof.holds()) << text_of(c) << ": " << first_violation(proof);
      EXPECT_EQ(proof.facts.forward.transfers, tally(plan, Pass::forward).transfers) << text_of(c);
      EXPECT_EQ(proof.facts.has_backward, c.problem.has_backward());
      if (c.problem.has_backward()) {
        EXPECT_EQ(proof.facts.backward.transfers, tally(plan, Pass::backward).transfers) << text_of(c);
      }
    }
  }
}

TEST_P(Schedules, AreProvedInAnyRingOrder) {
  const int n = GetParam();
  std::mt19937 random(static_cast<unsigned>(n));
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (!kind.can_order) continue;
    for (const BackwardStyle style : kind.styles) {
      Plan plan{.problem = problem_of(23, 23, both)};
      plan.problem.mask.causal = true;
      plan.layout = make_layout({}, plan.problem, n, kind.blocks_per_rank);
      std::vector<int> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      for (const bool prune : {false, true}) {
        if (prune && (!kind.can_prune || style == BackwardStyle::reversed)) continue;
        plan.schedule = kind.build({.problem = plan.problem,
                                    .layout = plan.layout,
                                    .ranks = {1, n, false},
                                    .backward = style,
                                    .prune = prune,
                                    .ring_order = order});
        const Proof proof = prove(plan);
        EXPECT_TRUE(proof.holds()) << kind.name << " " << name_of(style) << ": " << first_violation(proof);
      }
    }
  }
}

// The same plan twice, and after unrelated plans: builders keep nothing.
TEST_P(Schedules, AreTheSameWheneverBuilt) {
  const std::vector<RecipeCase> cases = every_recipe(problem_of(17, 23, both), GetParam());
  std::vector<std::uint64_t> hashes;
  for (const RecipeCase& c : cases) hashes.push_back(hash_of(make_plan(c.problem, c.recipe).schedule));
  for (std::size_t i = cases.size(); i-- > 0;) {
    EXPECT_EQ(hash_of(make_plan(cases[i].problem, cases[i].recipe).schedule), hashes[i]) << text_of(cases[i]);
  }
}

}  // namespace
}  // namespace ringscope
