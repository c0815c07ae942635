#include "core/schedules/builder.h"

#include <gtest/gtest.h>

#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

class Builder : public testing::Test {
 protected:
  // Rank 2 has no rows.
  Problem problem_ = problem_of(2, 2, Direction::forward_and_backward);
  Layout layout_ = make_layout({}, problem_, 3, 1);
  BuildRequest request_{.problem = problem_, .layout = layout_, .ranks = {1, 3, false}, .ring_order = {0, 1, 2}};
  ScheduleBuilder builder_{request_};

  Move kv_of(int rank, int to) const {
    return {.blocks = {rank}, .from = rank, .to = to, .heads = {0, 2}, .slot = 1, .tensor = TensorKind::kv};
  }
  void attend(int step, int rank) { builder_.attend(step, {.rank = rank, .q = {rank}, .kv = {rank}}); }
};

TEST_F(Builder, KeepsTheOrderOfCallsInsideAStep) {
  builder_.move(1, kv_of(1, 2));
  builder_.move(0, kv_of(0, 1));
  builder_.move(1, kv_of(0, 2));
  builder_.move(0, kv_of(1, 0));
  const Schedule s = builder_.take();
  ASSERT_EQ(s.steps(), 2);
  EXPECT_EQ(s.moves, (std::vector<Move>{kv_of(0, 1), kv_of(1, 0), kv_of(1, 2), kv_of(0, 2)}));
  EXPECT_EQ(s.first_move(1), 2);
}

TEST_F(Builder, LeavesOutStepsInWhichNothingHappens) {
  attend(1, 0);
  attend(4, 1);
  builder_.start_backward(4);
  const Schedule s = builder_.take();
  ASSERT_EQ(s.steps(), 2);
  EXPECT_EQ(s.pass(0), Pass::forward);
  EXPECT_EQ(s.pass(1), Pass::backward);
}

TEST_F(Builder, KeepsEmptyStepsUnderAFlyingMove) {
  Move slow = kv_of(0, 1);
  slow.lag = 2;
  builder_.move(0, slow);
  attend(5, 0);
  EXPECT_EQ(builder_.take().steps(), 4);
}

TEST_F(Builder, LeavesOutMovesOfNothing) {
  builder_.move(0, kv_of(2, 0));  // no rows
  builder_.move(0, kv_of(0, 0));  // to itself
  Move no_heads = kv_of(0, 1);
  no_heads.heads = {1, 1};
  builder_.move(0, no_heads);
  builder_.drop(0, 0, {TensorKind::kv, {0}, {0, 2}});  // its own block
  builder_.drop(0, 0, {TensorKind::kv, {2}, {0, 2}});  // no rows
  builder_.finish(0, 2, {{2}, {0, 6}});
  EXPECT_EQ(builder_.take(), Schedule{});
}

TEST_F(Builder, NeedsRowsAndWithPruneAPair) {
  EXPECT_TRUE(builder_.needs({0}, {1}));
  EXPECT_FALSE(builder_.needs({0}, {2}));
  problem_.mask.causal = true;
  request_.prune = true;
  const ScheduleBuilder pruned(request_);
  EXPECT_TRUE(pruned.needs({1}, {0}));
  EXPECT_FALSE(pruned.needs({0}, {1}));
  EXPECT_TRUE(pruned.needs({0, 2, 1}, {1}));
}

}  // namespace
}  // namespace ringscope
