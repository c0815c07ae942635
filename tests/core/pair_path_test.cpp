#include "core/pair_path.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

constexpr std::int64_t len = 17;

// From the owner to where the pair is computed, each hop leaving after the one before has landed.
void expect_unbroken(const std::vector<Hop>& hops, int owner, const Meeting& meeting) {
  int rank = owner, there_from = -1;
  for (const Hop& h : hops) {
    EXPECT_EQ(h.from, rank);
    EXPECT_GT(h.step, there_from);
    rank = h.to;
    there_from = h.lands;
  }
  EXPECT_EQ(rank, meeting.rank);
  EXPECT_LT(there_from, meeting.step);
}

TEST(PairPath, EveryPairOfAFullMaskMeetsOncePerPassByAnUnbrokenWay) {
  for (const int ranks : {1, 2, 3, 4, 8}) {
    for (const RecipeCase& c : every_recipe(problem_of(len, len, Direction::forward_and_backward), ranks)) {
      const Plan plan = make_plan(c.problem, c.recipe);
      for (const std::int64_t head : {0, 3, 5}) {
        for (std::int64_t i = 0; i < len; i += 5) {
          for (std::int64_t j = 0; j < len; j += 4) {
            const PairPath path = find_pair(plan, i, j, head);
            ASSERT_EQ(path.meetings.size(), c.problem.has_backward() ? 2u : 1u) << text_of(c);
            EXPECT_EQ(path.meetings.front().pass, Pass::forward);
            EXPECT_EQ(path.meetings.back().pass, c.problem.has_backward() ? Pass::backward : Pass::forward);
            for (const Meeting& m : path.meetings) {
              expect_unbroken(m.q_hops, plan.layout.owner(path.q_block), m);
              expect_unbroken(m.kv_hops, plan.layout.owner(path.kv_block), m);
            }
          }
        }
      }
    }
  }
}

TEST(PairPath, ARingHandsKvFromRankToRank) {
  const Plan plan = make_plan(problem_of(16, 16, Direction::forward), recipe_of("ring", {1, 4}));
  const PairPath path = find_pair(plan, 10, 4);
  EXPECT_EQ(path.q_block, 2);
  EXPECT_EQ(path.kv_block, 1);
  ASSERT_EQ(path.meetings.size(), 1u);
  EXPECT_EQ(path.meetings[0].rank, 2);
  EXPECT_EQ(path.meetings[0].step, 1);
  EXPECT_EQ(path.meetings[0].kv_hops, (std::vector<Hop>{{0, 0, 1, 2}}));
  EXPECT_TRUE(path.meetings[0].q_hops.empty());
}

TEST(PairPath, WhatIsNotThereIsRefused) {
  const Plan plan = make_plan(problem_of(16, 12, Direction::forward), recipe_of("ring", {1, 4}));
  EXPECT_THROW(find_pair(plan, 16, 0), Error);
  EXPECT_THROW(find_pair(plan, 0, 12), Error);
  EXPECT_THROW(find_pair(plan, -1, 0), Error);
  EXPECT_THROW(find_pair(plan, 0, 0, 6), Error);
}

}  // namespace
}  // namespace ringscope
