#include <gtest/gtest.h>

#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

using enum TensorKind;

// No empty blocks, also not half ones.
std::int64_t len_for(int n) {
  return 3 * n + 1 + n / 2;
}

Plan ring_like(const std::string& schedule, Ranks ranks, BackwardStyle style) {
  const std::int64_t len = len_for(ranks.count());
  return make_plan(problem_of(len, len, both), recipe_of(schedule, ranks, style));
}

struct RingCase {
  std::string schedule;
  Ranks ranks;
  std::int64_t blocks;  // that travel
};

std::vector<RingCase> ring_cases() {
  std::vector<RingCase> out;
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    out.push_back({"ring", {1, n, false}, n});
    out.push_back({"bidi", {1, n, false}, 2 * n});
    for (const Ranks& grid : grids_of(n)) out.push_back({"double-ring", grid, n});
  }
  return out;
}

TEST(Counts, ForwardMovesEveryKvBlockOverNMinus1Hops) {
  for (const auto& [schedule, ranks, blocks] : ring_cases()) {
    const int n = ranks.count();
    const Tally fwd = tally(ring_like(schedule, ranks, BackwardStyle::home), Pass::forward);
    EXPECT_EQ(fwd.of(kv), blocks * (n - 1)) << schedule << n;
    EXPECT_EQ(fwd.total(), fwd.of(kv));
    EXPECT_EQ(fwd.steps, n);
  }
}

TEST(Counts, HomeMoves3NMinus3PerBlockInNPlus1Steps) {
  for (const auto& [schedule, ranks, blocks] : ring_cases()) {
    const int n = ranks.count();
    const Plan plan = ring_like(schedule, ranks, BackwardStyle::home);
    const Tally fwd = tally(plan, Pass::forward), bwd = tally(plan, Pass::backward);
    EXPECT_EQ(fwd.total() + bwd.total(), blocks * (3 * n - 3)) << schedule << ranks.outer << "x" << ranks.inner;
    EXPECT_EQ(bwd.of(kv), blocks * (n - 1));
    EXPECT_EQ(bwd.of(dkv), blocks * (n - 1));
    EXPECT_EQ(bwd.steps, n == 1 ? 1 : n + 1);
  }
}

TEST(Counts, ReversedMoves3NMinus4PerBlockInNSteps) {
  for (const auto& [schedule, ranks, blocks] : ring_cases()) {
    const int n = ranks.count();
    const Plan plan = ring_like(schedule, ranks, BackwardStyle::reversed);
    const Tally fwd = tally(plan, Pass::forward), bwd = tally(plan, Pass::backward);
    EXPECT_EQ(fwd.total() + bwd.total(), n == 1 ? 0 : blocks * (3 * n - 4)) << schedule << ranks.outer << ranks.inner;
    EXPECT_EQ(bwd.of(kv), n == 1 ? 0 : blocks * (n - 2));
    EXPECT_EQ(bwd.of(dkv), blocks * (n - 1));
    EXPECT_EQ(bwd.steps, n);
  }
}

TEST(Counts, QsideMovesQueriesAndTheirGradientInNPlus2Steps) {
  for (const auto& [schedule, ranks, blocks] : ring_cases()) {
    const int n = ranks.count();
    const Plan plan = ring_like(schedule, ranks, BackwardStyle::qside);
    EXPECT_EQ(tally(plan, Pass::forward).total(), blocks * (n - 1));
    const Tally bwd = tally(plan, Pass::backward);
    for (const TensorKind t : {q, d_o, stats, dq}) EXPECT_EQ(bwd.of(t), blocks * (n - 1)) << schedule << n;
    EXPECT_EQ(bwd.total(), 4 * blocks * (n - 1));
    EXPECT_EQ(bwd.steps, n == 1 ? 2 : n + 2);
  }
}

TEST(Counts, HalfBlocksWeighWhatWholeBlocksDo) {
  for (const int n : {2, 3, 5, 8}) {
    const Ranks ranks{1, n, false};
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const Tally whole = tally(ring_like("ring", ranks, BackwardStyle::home), pass);
      const Tally halves = tally(ring_like("bidi", ranks, BackwardStyle::home), pass);
      EXPECT_EQ(whole.bytes, halves.bytes);
    }
  }
}

TEST(Counts, AllGatherMovesEveryBlockStraightThreeTimes) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    const Plan plan = ring_like("all-gather", {1, n, false}, BackwardStyle::home);
    const Tally fwd = tally(plan, Pass::forward), bwd = tally(plan, Pass::backward);
    EXPECT_EQ(fwd.of(kv), n * (n - 1));
    EXPECT_EQ(bwd.of(kv), n * (n - 1));
    EXPECT_EQ(bwd.of(dkv), n * (n - 1));
    EXPECT_EQ(fwd.total() + bwd.total(), n * (3 * n - 3));
    EXPECT_EQ(fwd.steps + bwd.steps, n == 1 ? 3 : 5);
  }
}

TEST(Counts, PassQMovesQueriesAndBringsStatesHome) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    const Plan plan = ring_like("pass-q", {1, n, false}, BackwardStyle::qside);
    const Tally fwd = tally(plan, Pass::forward), bwd = tally(plan, Pass::backward);
    EXPECT_EQ(fwd.of(q), n * (n - 1));
    EXPECT_EQ(fwd.of(state), n * (n - 1));
    EXPECT_EQ(fwd.total(), 2 * n * (n - 1));
    EXPECT_EQ(fwd.steps, n == 1 ? 1 : n + 2);
    EXPECT_EQ(bwd.total(), 4 * n * (n - 1));
  }
}

TEST(Counts, DecodeCopiesQueriesAndMergesStatesAtTheirOwner) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    const Problem problem = problem_of(1, len_for(n), Direction::forward);
    const Tally one = tally(make_plan(problem, recipe_of("decode", {1, n, false})), Pass::forward);
    EXPECT_EQ(one.of(q), n - 1);
    EXPECT_EQ(one.of(state), n - 1);
    EXPECT_EQ(one.total(), 2 * (n - 1));
    EXPECT_EQ(one.steps, n == 1 ? 1 : 4);
  }
}

// Every rank's rows of the heads that other members of its group own, and then r for N in the formulas of the ring.
TEST(Counts, UspMovesTheExchangeAndARingOfGroups) {
  constexpr std::int64_t len = 24, hq = 12, hkv = 12, dqk = 3, dv = 5, word = 4;
  Problem problem = problem_of(len, len, both);
  problem.heads_q = hq, problem.heads_kv = hkv;
  const std::int64_t all_q = len * hq * dqk * word, all_kv = len * hkv * (dqk + dv) * word;
  const std::int64_t all_do = len * hq * dv * word, all_out = len * hq * (dv + 1) * word;
  for (const auto& [r, u] : {std::pair{1, 4}, {4, 1}, {2, 2}, {2, 4}, {4, 3}, {2, 6}, {1, 12}}) {
    const auto exchanged = [u = u](std::int64_t bytes) { return bytes * (u - 1) / u; };
    for (const BackwardStyle style : {BackwardStyle::home, BackwardStyle::reversed, BackwardStyle::qside}) {
      const Plan plan = make_plan(problem, recipe_of("usp", {r, u, true}, style));
      const Tally fwd = tally(plan, Pass::forward), bwd = tally(plan, Pass::backward);
      const bool q_rides = style == BackwardStyle::qside;
      const int kv_hops = q_rides ? 0 : style == BackwardStyle::home || r == 1 ? r - 1 : r - 2;
      EXPECT_EQ(fwd.bytes_of(q), exchanged(all_q));
      EXPECT_EQ(fwd.bytes_of(kv), exchanged(all_kv) + (r - 1) * all_kv);
      EXPECT_EQ(fwd.bytes_of(out), exchanged(all_out));
      EXPECT_EQ(bwd.bytes_of(kv), kv_hops * all_kv);
      EXPECT_EQ(bwd.bytes_of(dkv), exchanged(all_kv) + (q_rides ? 0 : r - 1) * all_kv);
      EXPECT_EQ(bwd.bytes_of(d_o), exchanged(all_do) + (q_rides ? r - 1 : 0) * all_do);
      EXPECT_EQ(bwd.bytes_of(dq), exchanged(all_q) + (q_rides ? r - 1 : 0) * all_q);
      EXPECT_EQ(bwd.bytes_of(out), 0);
    }
  }
}

TEST(Counts, UspTakesTheStepsOfARingOfGroupsAndItsExchanges) {
  for (const auto& [r, u] : {std::pair{3, 2}, {2, 3}, {4, 2}}) {
    const auto backward_steps = [r = r, u = u](BackwardStyle style) {
      return tally(ring_like("usp", {r, u, true}, style), Pass::backward).steps;
    };
    EXPECT_EQ(tally(ring_like("usp", {r, u, true}, BackwardStyle::home), Pass::forward).steps, r + 2);
    EXPECT_EQ(backward_steps(BackwardStyle::home), r + 3);
    EXPECT_EQ(backward_steps(BackwardStyle::reversed), r + 2);
    EXPECT_EQ(backward_steps(BackwardStyle::qside), r + 4);
  }
}

TEST(Counts, UlyssesIsOneGroupOfUsp) {
  for (const int n : {1, 2, 3, 5, 6}) {
    const Plan ulysses = ring_like("ulysses", {1, n, false}, BackwardStyle::home);
    EXPECT_EQ(ulysses.schedule, ring_like("usp", {1, n, true}, BackwardStyle::home).schedule);
    EXPECT_EQ(tally(ulysses, Pass::forward).steps, n == 1 ? 1 : 3);
    EXPECT_EQ(tally(ulysses, Pass::backward).steps, n == 1 ? 1 : 3);
  }
}

TEST(Counts, KvCopiesBringEachMemberEveryKvHeadItReads) {
  // 6 query heads on 4 members: 0 | 1 2 | 3 | 4 5, so KV heads 0 | 0 | 1 | 1.
  const Plan plan = make_plan(problem_of(22, 22, both), recipe_of("ulysses", {1, 4, false}));
  std::int64_t foreign_rows = 0;  // of the rows of one head, over the members
  for (int rank = 0; rank < 4; ++rank) foreign_rows += 22 - plan.layout.rows(Side::kv, rank);
  EXPECT_EQ(tally(plan, Pass::forward).bytes_of(kv), foreign_rows * (3 + 5) * 4);
  EXPECT_EQ(tally(plan, Pass::backward).bytes_of(dkv), foreign_rows * (3 + 5) * 4);
}

TEST(Counts, PruneStopsACausalBlockAtTheLastRank) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    Problem problem = problem_of(2 * n + 1, 2 * n + 1, both);
    problem.mask.causal = true;
    Recipe recipe = recipe_of("ring", {1, n, false}, BackwardStyle::home);
    recipe.prune = true;
    const Plan home = make_plan(problem, recipe);
    // Block b goes to ranks b+1 .. N-1; its gradient to each but the first of them, and home.
    EXPECT_EQ(tally(home, Pass::forward).of(kv), n * (n - 1) / 2);
    EXPECT_EQ(tally(home, Pass::backward).of(kv), n * (n - 1) / 2);
    EXPECT_EQ(tally(home, Pass::backward).of(dkv), n * (n - 1) / 2);
    recipe.backward = BackwardStyle::qside;  // query block b goes down to ranks b-1 .. 0
    const Tally qside = tally(make_plan(problem, recipe), Pass::backward);
    for (const TensorKind t : {q, d_o, stats, dq}) EXPECT_EQ(qside.of(t), n * (n - 1) / 2);
  }
}

TEST(Counts, PruneLeavesAZigzagForwardAsItIs) {
  for (const int n : {2, 3, 4, 8}) {
    Problem problem = problem_of(4 * n, 4 * n, Direction::forward);
    problem.mask.causal = true;
    Recipe recipe = recipe_of("ring", {1, n, false});
    recipe.layout.name = "zigzag";
    const Plan whole = make_plan(problem, recipe);
    recipe.prune = true;
    EXPECT_EQ(make_plan(problem, recipe).schedule, whole.schedule);
  }
}

TEST(Counts, PruneNeverMovesMore) {
  for (const int n : {2, 3, 5, 8, 12}) {
    Problem problem = problem_of(29, 29, both);
    for (const std::int64_t left : {0, 3, 9}) {
      problem.mask.window = Window{left, 0};
      for (RecipeCase c : every_recipe(problem, n)) {
        if (!c.recipe.prune) continue;
        const Plan pruned = make_plan(c.problem, c.recipe);
        c.recipe.prune = false;
        const Plan whole = make_plan(c.problem, c.recipe);
        for (const Pass pass : {Pass::forward, Pass::backward}) {
          EXPECT_LE(tally(pruned, pass).total(), tally(whole, pass).total()) << text_of(c);
        }
      }
    }
  }
}

TEST(Counts, OneRankMovesNothing) {
  for (const RecipeCase& c : every_recipe(problem_of(7, 11, both), 1)) {
    EXPECT_TRUE(make_plan(c.problem, c.recipe).schedule.moves.empty()) << text_of(c);
  }
}

}  // namespace
}  // namespace ringscope
