#include "core/schedule_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/pair_count.h"
#include "tests/core/schedules/recipes.h"

// That every builder's plan is proved: tests/core/schedules/proof_test.cpp. That damage is found: violations_test.cpp.
namespace ringscope {
namespace {

std::string sentences(const Proof& proof) {
  std::string out;
  for (const Violation& v : proof.violations) out += std::string(name_of(v.rule)) + ": " + v.sentence + "\n";
  return out;
}

std::vector<Mask> masks() {
  return {{},
          {.causal = true},
          {.causal = true, .window = Window{3, 0}, .sinks = 2},
          {.prefix = 2},
          {.window = Window{2, 1}},
          {.causal = true, .offset = -20},
          {.kv_lens = {3}}};
}

// Layouts by turns.
template <class Check>
void for_each_plan(int ranks, const Check& check) {
  constexpr const char* layouts[] = {"zigzag", "striped", "contiguous"};
  std::size_t turn = 0;
  for (const auto& [len_q, len_kv] : {std::pair{17, 17}, {3, 3}, {3, 19}, {24, 7}}) {
    Problem p = problem_of(len_q, len_kv, Direction::forward_and_backward);
    for (const Mask& mask : masks()) {
      p.mask = mask;
      for (RecipeCase& c : every_recipe(p, ranks)) {
        c.recipe.layout.name = layouts[turn++ % std::size(layouts)];
        check(c, make_plan(c.problem, c.recipe));
      }
    }
  }
}

std::int64_t sum(const std::vector<std::vector<std::int64_t>>& pairs) {
  std::int64_t n = 0;
  for (const auto& row : pairs) n = std::accumulate(row.begin(), row.end(), n);
  return n;
}

TEST(ProofFacts, EveryAllowedPairOfEveryHeadIsCountedOnce) {
  for_each_plan(3, [](const RecipeCase& c, const Plan& plan) {
    const ScheduleFacts facts = prove(plan).facts;
    const std::int64_t want = total_pairs(c.problem) * c.problem.heads_q;
    EXPECT_EQ(sum(facts.forward.pairs), want) << text_of(c);
    EXPECT_EQ(facts.has_backward, c.problem.has_backward());
    EXPECT_EQ(sum(facts.backward.pairs), facts.has_backward ? want : 0) << text_of(c);
  });
}

TEST(ProofFacts, TransfersAndBytesAreThoseOfTheMoves) {
  for_each_plan(4, [](const RecipeCase& c, const Plan& plan) {
    const ScheduleFacts facts = prove(plan).facts;
    for (const Pass pass : {Pass::forward, Pass::backward}) {
      const PassFacts& got = pass == Pass::forward ? facts.forward : facts.backward;
      const Tally want = tally(plan, pass);
      EXPECT_EQ(got.transfers, want.transfers) << text_of(c);
      std::int64_t bytes = 0;
      for (const LinkBytes& link : got.links) bytes += link.bytes;
      EXPECT_EQ(bytes, std::accumulate(want.bytes.begin(), want.bytes.end(), std::int64_t{0})) << text_of(c);
      EXPECT_TRUE(std::is_sorted(got.links.begin(), got.links.end(), [](const LinkBytes& a, const LinkBytes& b) {
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
      }));
    }
  });
}

// The ring keeps its inputs, two travelling KV blocks and its State, which becomes Out.
TEST(ProofFacts, PeakMemoryOfARingIsThreeKvBlocks) {
  const Problem p{
      .heads_q = 6, .heads_kv = 2, .len_q = 40, .len_kv = 40, .dim_qk = 3, .dim_v = 5, .direction = Direction::forward};
  const Plan plan = make_plan(p, recipe_of("ring", {1, 4}));
  const auto bytes = [&](TensorKind t) {
    return plan.bytes({t, {0, 1, 1}, {0, static_cast<std::uint16_t>(side_of(t) == Side::q ? 6 : 2)}});
  };
  const std::int64_t held = bytes(TensorKind::q) + bytes(TensorKind::state);
  for (const std::int64_t peak : prove(plan).facts.peak_bytes) {
    EXPECT_GE(peak, held + 3 * bytes(TensorKind::kv));
    EXPECT_LE(peak, held + 3 * bytes(TensorKind::kv) + bytes(TensorKind::out));
  }
}

TEST(ProofFacts, LandingsThatAddNeedStaging) {
  Problem p = problem_of(24, 24, Direction::forward_and_backward);
  const Plan plan = make_plan(p, recipe_of("all-gather", {1, 2}, BackwardStyle::home));
  // In the last step a rank holds its inputs, Out, Stats, dQ and both parts of dKV, and one part is on its way in.
  const auto bytes = [&](TensorKind t) {
    return plan.bytes({t, {0, 1, 1}, {0, static_cast<std::uint16_t>(side_of(t) == Side::q ? 6 : 2)}});
  };
  using enum TensorKind;
  std::int64_t want = 0;
  for (const TensorKind t : {q, kv, d_o, out, stats, dq, dkv, dkv, dkv}) want += bytes(t);
  EXPECT_EQ(prove(plan).facts.peak_bytes, std::vector<std::int64_t>(2, want));
}

TEST(ProofFacts, BalanceAndLockstepEfficiencyOfAHandMadePass) {
  PassFacts facts;
  EXPECT_EQ(balance(facts), 1);
  EXPECT_EQ(lockstep_efficiency(facts), 1);
  facts.pairs = {{4, 0}, {2, 2}};
  EXPECT_DOUBLE_EQ(balance(facts), 1);
  EXPECT_DOUBLE_EQ(lockstep_efficiency(facts), 4.0 / 6);
  facts.pairs = {{3, 0}, {1, 0}};
  EXPECT_DOUBLE_EQ(balance(facts), 2.0 / 3);
  EXPECT_DOUBLE_EQ(lockstep_efficiency(facts), 2.0 / 3);
  facts.pairs = {{0}, {0}};
  EXPECT_EQ(balance(facts), 1);
  EXPECT_EQ(lockstep_efficiency(facts), 1);
}

// Left out of sanitizer builds by its suite's name.
TEST(LargeSchedule, RingsOf1024RanksAreProved) {
  Problem p;
  p.len_q = p.len_kv = 4096;
  for (const bool causal : {false, true}) {
    p.mask.causal = causal;
    const Plan plan = make_plan(p, {.layout = {.name = "zigzag"}, .ranks = {1, 1024}});
    const Proof proof = prove(plan);
    EXPECT_TRUE(proof.holds()) << sentences(proof);
    for (const TensorKind tensor : {TensorKind::kv, TensorKind::dkv}) {
      EXPECT_EQ(proof.facts.backward.transfers[static_cast<std::size_t>(tensor)], 1024 * 1023);
    }
  }
}

}  // namespace
}  // namespace ringscope
