// The proof is tested like anything else: every kind of mistake, planted in every builder's plan, gets its rule's
// sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/program_check.h"
#include "core/schedule_check.h"
#include "tests/core/damage.h"
#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

const ProofOptions all_violations{.most_violations = 1 << 20};

std::string rules_of(const Proof& proof) {
  std::string out;
  for (const Violation& v : proof.violations) out += std::string(name_of(v.rule)) + ": " + v.sentence + "\n";
  return out.empty() ? "proved" : out;
}

const Violation* first_of(const Proof& proof, const std::vector<Rule>& rules) {
  const auto found = std::ranges::find_if(
      proof.violations, [&](const Violation& v) { return std::ranges::find(rules, v.rule) != rules.end(); });
  return found == proof.violations.end() ? nullptr : &*found;
}

// In a sequence of N x 1 groups the exchange is idle, so an early move is no mistake.
std::vector<RecipeCase> cases(int ranks) {
  std::vector<RecipeCase> out = every_recipe(problem_of(17, 17, Direction::forward_and_backward), ranks);
  std::erase_if(out, [](const RecipeCase& c) { return c.recipe.ranks.is_grid && c.recipe.ranks.inner == 1; });
  for (RecipeCase& c : out) c.recipe.layout.name = "zigzag";
  return out;
}

class Violations : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Violations, testing::Values(2, 3, 4, 5, 6, 8));

TEST_P(Violations, EveryPlantGetsItsRulesSentence) {
  for (const RecipeCase& c : cases(GetParam())) {
    const Plan plan = make_plan(c.problem, c.recipe);
    std::map<Rule, int> planted;  // and found
    for (const Plant& plant : plants()) {
      for (std::uint64_t seed = 0; seed < 2; ++seed) {
        Damage damage(plan, seed);
        if (!plant.make(damage)) continue;
        const Proof proof = prove(damage.plan(), all_violations);
        const Violation* v = first_of(proof, plant.rules);
        ASSERT_NE(v, nullptr) << text_of(c) << ", " << plant.what << ", seed " << seed << "\n" << rules_of(proof);
        const bool in_the_end = v->step == damage.plan().schedule.steps();
        EXPECT_THAT(v->sentence, HasSubstr("rank " + std::to_string(v->rank)));
        EXPECT_THAT(v->sentence, HasSubstr(in_the_end ? "in the end" : "step " + std::to_string(v->step)));
        EXPECT_THAT(v->sentence, HasSubstr(to_text(v->slice)));
        ++planted[v->rule];
      }
    }
    using enum Rule;
    for (const Rule rule : {presence, overwrite, coverage, heads, combine, state_owner, finish, home, leak, shape}) {
      EXPECT_GT(planted[rule], 0) << text_of(c) << " has no plant for " << name_of(rule);
    }
    EXPECT_TRUE(!c.problem.has_backward() || planted[gradient] > 0) << text_of(c);
  }
}

TEST(Violations, EveryPlantFindsAPlace) {
  for (const Plant& plant : plants()) {
    int places = 0;
    for (const int ranks : {3, 4, 6}) {
      for (const RecipeCase& c : cases(ranks)) {
        const Plan plan = make_plan(c.problem, c.recipe);
        Damage damage(plan, 0);
        places += plant.make(damage);
      }
    }
    EXPECT_GT(places, 0) << plant.what;
  }
}

// The programs of the ranks, each step posted as a group: nothing is wrong with a builder's own.
std::vector<Violation> found_in(const Schedule& schedule, const std::vector<RankProgram>& programs) {
  ViolationLog log(10);
  check_programs(schedule, programs, log);
  return log.take();
}

// The first step of `rank` whose list has two moves of one link.
std::optional<std::pair<std::size_t, std::size_t>> two_on_a_link(const Schedule& s, const RankProgram& p) {
  for (std::size_t t = 0; t + 1 < p.receive_begin.size(); ++t) {
    for (auto i = p.receive_begin[t]; i < p.receive_begin[t + 1]; ++i) {
      for (auto j = i + 1; j < p.receive_begin[t + 1]; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        const auto from = [&](std::size_t k) { return s.moves[static_cast<std::size_t>(p.receives[k])].from; };
        if (from(a) == from(b)) return std::pair(a, b);
      }
    }
  }
  return std::nullopt;
}

TEST_P(Violations, ProgramsThatDoNotFitAreFound) {
  int swapped = 0;
  for (const RecipeCase& c : cases(GetParam())) {
    const Schedule s = make_plan(c.problem, c.recipe).schedule;
    const std::vector<RankProgram> right = index_by_rank(s, GetParam());
    EXPECT_TRUE(found_in(s, right).empty()) << text_of(c);

    std::vector<RankProgram> lost = right;
    const auto rank = static_cast<std::size_t>(
        std::ranges::find_if(lost, [](const RankProgram& p) { return !p.receives.empty(); }) - lost.begin());
    lost[rank].receives.pop_back();
    lost[rank].receive_begin.back() = static_cast<std::int64_t>(lost[rank].receives.size());
    ASSERT_EQ(found_in(s, lost).size(), 1u) << text_of(c);
    EXPECT_EQ(found_in(s, lost)[0].rule, Rule::match);
    EXPECT_THAT(found_in(s, lost)[0].sentence, HasSubstr("never received"));

    for (std::size_t r = 0; r < right.size(); ++r) {
      const auto pair = two_on_a_link(s, right[r]);
      if (!pair) continue;
      std::vector<RankProgram> crossed = right;
      std::swap(crossed[r].receives[pair->first], crossed[r].receives[pair->second]);
      ASSERT_EQ(found_in(s, crossed).size(), 1u) << text_of(c);
      EXPECT_EQ(found_in(s, crossed)[0].rule, Rule::match);
      EXPECT_THAT(found_in(s, crossed)[0].sentence, HasSubstr("another order"));
      ++swapped;
      break;
    }
  }
  EXPECT_GT(swapped, 0);
}

// Every rank puts off the receives of its first step by one step: each waits for the next to receive, round the ring.
TEST_P(Violations, ACycleOfWaitsIsNamed) {
  for (const RecipeCase& c : cases(GetParam())) {
    const Schedule s = make_plan(c.problem, c.recipe).schedule;
    std::vector<RankProgram> late = index_by_rank(s, GetParam());
    std::size_t first = 0;
    while (late[0].receive_begin[first + 1] == 0) ++first;
    if (first + 2 >= late[0].receive_begin.size()) continue;
    for (RankProgram& p : late) p.receive_begin[first + 1] = p.receive_begin[first];
    const std::vector<Violation> found = found_in(s, late);
    ASSERT_EQ(found.size(), 1u) << text_of(c);
    EXPECT_EQ(found[0].rule, Rule::wait_cycle);
    EXPECT_THAT(found[0].sentence, HasSubstr("waits, for "));
    EXPECT_THAT(found[0].sentence, HasSubstr("rank " + std::to_string(found[0].rank)));
  }
}

// Everything a file can say about steps that cannot be.
TEST(Violations, MoreThanTheProofTakesIsNoViolation) {
  Plan p = make_plan(problem_of(17, 17, Direction::forward_and_backward), recipe_of("ring", {1, 3}));
  p.problem.batch = 1 << 20, p.problem.len_q = p.problem.len_kv = 1 << 30;
  EXPECT_THROW(prove(p), Error);
}

TEST(Violations, StepsThatCannotBeAreMalformed) {
  const Plan right = make_plan(problem_of(17, 17, Direction::forward_and_backward), recipe_of("ring", {1, 3}));
  const auto expect_malformed = [](const Plan& plan) {
    const Proof proof = prove(plan);
    ASSERT_FALSE(proof.holds());
    EXPECT_EQ(proof.violations[0].rule, Rule::shape) << rules_of(proof);
  };
  Plan p = right;
  p.problem.direction = Direction::forward;
  expect_malformed(p);
  p = right;
  for (StepBegin& s : p.schedule.step_begin) s.pass = Pass::forward;
  expect_malformed(p);
  p = right;
  std::swap(p.schedule.step_begin.front().pass, p.schedule.step_begin.back().pass);
  expect_malformed(p);
  for (const std::int64_t begin : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    for (const auto list : {&StepBegin::move, &StepBegin::attend, &StepBegin::finish}) {
      for (std::size_t t = 0; t < right.schedule.step_begin.size(); ++t) {
        p = right;
        p.schedule.step_begin[t].*list = begin;
        expect_malformed(p);
      }
    }
  }
  p = right;
  p.schedule.step_begin.clear();
  expect_malformed(p);
  p = right;
  p.layout.kv.pop_back();
  expect_malformed(p);
  p = right;
  p.layout.q[0] = p.layout.q[1];
  expect_malformed(p);
  p = right;
  p.layout.ranks = 2147483647;
  expect_malformed(p);
  p = right;
  p.problem.len_q = p.problem.len_kv = std::int64_t{1} << 40;
  expect_malformed(p);
  p = right;
  p.problem.heads_kv = 4;
  expect_malformed(p);
}

TEST(Violations, AShortListNamesEveryBrokenRule) {
  const Plan plan = make_plan(problem_of(17, 17, Direction::forward_and_backward), recipe_of("ring", {1, 5}));
  Damage damage(plan, 1);
  for (StepLists& step : damage.steps) {
    std::erase_if(step.moves, [](const Move& m) { return m.to != nobody; });
  }
  const Proof all = prove(damage.plan(), all_violations), some = prove(damage.plan(), {.most_violations = 6});
  ASSERT_GT(all.violations.size(), 6u);
  EXPECT_EQ(some.violations.size(), 6u);
  for (const Violation& v : all.violations) EXPECT_NE(first_of(some, {v.rule}), nullptr) << name_of(v.rule);
}

}  // namespace
}  // namespace ringscope
