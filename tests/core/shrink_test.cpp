#include "core/shrink.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "core/element_type.h"
#include "core/pair_count.h"
#include "core/simplify.h"
#include "core/suites.h"

namespace ringscope {
namespace {

struct Symptom {
  const char* name;
  bool (*shows)(const Case& c);
};

// Mistakes of many kinds, each told by what a case must have for them to show.
constexpr std::array<Symptom, 9> symptoms{{
    {"always", [](const Case&) { return true; }},
    {"two ranks and a causal mask", [](const Case& c) { return c.recipe.ranks.count() >= 2 && c.problem.mask.causal; }},
    {"heads that share KV", [](const Case& c) { return c.problem.group() > 1 && c.problem.heads_kv > 1; }},
    {"a cut that does not divide", [](const Case& c) { return c.problem.len_q % c.recipe.ranks.count() != 0; }},
    {"a window that hides", [](const Case& c) { return c.problem.mask.window && c.problem.mask.window->left > 2; }},
    {"an odd rank count", [](const Case& c) { return c.recipe.ranks.count() % 2 == 1 && c.problem.has_backward(); }},
    {"the last batch item", [](const Case& c) { return c.problem.batch >= 2 && !c.problem.mask.kv_lens.empty(); }},
    {"many pairs", [](const Case& c) { return total_pairs(c.problem) > 100; }},
    {"16 bit", [](const Case& c) { return bytes_of(c.problem.type) == 2 && c.problem.dim_qk > c.problem.dim_v; }},
}};

std::vector<Case> failing_cases(const Symptom& symptom) {
  std::vector<Case> cases;
  for (const Case& c : random_cases(300, 3)) {
    if (symptom.shows(c) && cases.size() < 8) cases.push_back(c);
  }
  return cases;
}

template <class Check>
void for_each_shrunk(const Check& check) {
  for (const Symptom& symptom : symptoms) {
    const auto cases = failing_cases(symptom);
    EXPECT_FALSE(cases.empty()) << symptom.name;
    for (const Case& c : cases) {
      SCOPED_TRACE(std::string(symptom.name) + ": " + to_line(c));
      check(symptom, c, shrink(c, symptom.shows, 10000));
    }
  }
}

TEST(Shrink, ShrunkCaseStillFails) {
  for_each_shrunk([](const Symptom& symptom, const Case&, const Case& shrunk) {
    EXPECT_TRUE(symptom.shows(shrunk)) << to_line(shrunk);
  });
}

TEST(Shrink, ShrunkCaseIsValidAndReadsBack) {
  for_each_shrunk(
      [](const Symptom&, const Case&, const Case& shrunk) { EXPECT_EQ(parse_case(to_line(shrunk)), shrunk); });
}

TEST(Shrink, NothingOneStepSimplerFails) {
  for_each_shrunk([](const Symptom& symptom, const Case&, const Case& shrunk) {
    for (const Case& simpler : simpler_cases(shrunk)) {
      EXPECT_FALSE(symptom.shows(simpler)) << to_line(shrunk) << " and yet " << to_line(simpler);
    }
  });
}

TEST(Shrink, ShrinkingIsDeterministic) {
  for_each_shrunk([](const Symptom& symptom, const Case& c, const Case& shrunk) {
    EXPECT_EQ(shrink(c, symptom.shows, 10000), shrunk);
  });
}

TEST(Shrink, ShrinkingTwiceChangesNothing) {
  for_each_shrunk([](const Symptom& symptom, const Case&, const Case& shrunk) {
    EXPECT_EQ(shrink(shrunk, symptom.shows, 10000), shrunk);
  });
}

TEST(Shrink, ACaseThatAlwaysFailsBecomesTheSmallestOfAll) {
  for (const Case& c : failing_cases(symptoms[0])) {
    Case smallest = shrink(c, symptoms[0].shows);
    smallest.backend = {};
    EXPECT_EQ(to_line(smallest), "b1 h1 s1 d1 f32 fwd | contiguous ring r1 | cpu | random seed=0") << to_line(c);
  }
}

TEST(Shrink, WordsThatDoNotMatterGo) {
  const Case c = parse_case(
      "b3 h8/2 s61x40 d24/10 bf16 causal window=20,3 sinks=2 kv-lens=7,40,12 softcap=30 alibi sink-logit dropout=0.5 "
      "| zigzag usp r2x2 backward=qside prune kv-copies | cpu:eigen threads=2 tile=16 link-mb=9 | poison "
      "seed=99");
  const auto shows = [](const Case& s) { return s.problem.terms.alibi && s.recipe.ranks.count() > 1; };
  EXPECT_EQ(to_line(shrink(c, shows)), "b1 h1 s1 d1 f32 alibi fwd | contiguous ring r2 | cpu:eigen | random seed=0");
}

TEST(Shrink, AsksNoCaseTwiceAndNoMoreThanAllowed) {
  const Case c = failing_cases(symptoms[7]).front();
  std::set<std::string> asked;
  int tries = 0;
  const auto count = [&](const Case& s) {
    ++tries;
    EXPECT_TRUE(asked.insert(to_line(s)).second) << to_line(s);
    return symptoms[7].shows(s);
  };
  const Case shrunk = shrink(c, count, 10000);
  EXPECT_GT(tries, 10);
  tries = 0;
  asked.clear();
  const Case hurried = shrink(c, count, 10);
  EXPECT_EQ(tries, 10);
  EXPECT_TRUE(symptoms[7].shows(hurried));
  EXPECT_NE(hurried, shrunk);
}

TEST(Shrink, NothingThatFailsStaysAsItIs) {
  for (const Case& c : random_cases(20, 4)) {
    EXPECT_EQ(shrink(c, [](const Case&) { return false; }), c);
  }
}

TEST(Shrink, AFaultKeepsItsPlaceOrMovesToAnEarlierOne) {
  const Case c = parse_case("s64 causal | zigzag ring r8 | cpu | random fault=drop-block@r5,t6");
  const auto at_a_later_step = [](const Case& s) { return s.fault.name == "drop-block" && s.fault.step > 0; };
  const Case shrunk = shrink(c, at_a_later_step);
  EXPECT_EQ(to_line(shrunk), "b1 h1 s1 d1 f32 fwd | contiguous ring r1 | cpu | random seed=0 fault=drop-block@r0,t1");
}

TEST(Shrink, EveryStepTakesSomethingAway) {
  const auto ranks = [](const Case& c) { return c.recipe.ranks.count(); };
  for (const Case& c : random_cases(200, 9)) {
    for (const Case& s : simpler_cases(c)) {
      EXPECT_LE(ranks(s), ranks(c));
      EXPECT_LE(s.problem.batch, c.problem.batch);
      EXPECT_LE(s.problem.heads_q, c.problem.heads_q);
      EXPECT_LE(s.problem.heads_kv, c.problem.heads_kv);
      EXPECT_LE(s.problem.len_q, c.problem.len_q);
      EXPECT_LE(s.problem.len_kv, c.problem.len_kv);
      EXPECT_LE(s.problem.dim_qk, c.problem.dim_qk);
      EXPECT_LE(s.problem.dim_v, c.problem.dim_v);
      EXPECT_LE(s.seed, c.seed);
      EXPECT_LE(s.problem.mask.causal, c.problem.mask.causal);
      EXPECT_LE(s.problem.mask.docs.size(), c.problem.mask.docs.size());
      EXPECT_NE(s, c);
    }
  }
}

Report report_of(Verdict verdict, std::optional<Place> where = std::nullopt) {
  Report report;
  report.verdict = verdict;
  report.where = std::move(where);
  return report;
}

TEST(Shrink, AFailureIsTheSameByVerdictCheckAndOutput) {
  const Report wrong_dk = report_of(Verdict::failed, Place{.check = "baseline", .rank = 1, .output = Output::dk});
  EXPECT_TRUE(is_same_failure(
      wrong_dk, report_of(Verdict::failed, Place{.check = "baseline", .rank = 0, .output = Output::dk, .row = 7})));
  EXPECT_FALSE(is_same_failure(wrong_dk, report_of(Verdict::failed, Place{.check = "baseline", .output = Output::dv})));
  EXPECT_FALSE(is_same_failure(wrong_dk, report_of(Verdict::failed, Place{.check = "proof"})));
  EXPECT_FALSE(is_same_failure(wrong_dk, report_of(Verdict::mistrusted)));
  EXPECT_FALSE(is_same_failure(report_of(Verdict::failed), wrong_dk));
}

}  // namespace
}  // namespace ringscope
