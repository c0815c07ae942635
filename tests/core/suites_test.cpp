#include "core/suites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/case_grid.h"
#include "core/case_words.h"
#include "core/error.h"

namespace ringscope {
namespace {

// Made once: it takes seconds under a sanitizer.
const std::vector<Case>& ci_cases() {
  static const std::vector<Case> cases = suite_cases("ci");
  return cases;
}

// The words of a case that other words are paired with: what was said, without the numbers.
std::set<std::string> words_of_case(const Case& c) {
  std::set<std::string> words;
  for (int field = 0; field < case_fields; ++field) {
    for (const WordKind& kind : words_of(static_cast<Field>(field))) {
      const bool counted = kind.topic != Topic::shape && kind.topic != Topic::seed && kind.topic != Topic::ranks;
      const std::string word = counted ? kind.print(c) : "";
      if (word.empty()) continue;
      words.insert(kind.takes == Takes::itself ? word : kind.name);
    }
  }
  words.insert("N" + std::to_string(c.recipe.ranks.count()));
  words.insert(c.problem.has_backward() ? "bwd" : "fwd");
  if (c.problem.mask == Mask{}) words.insert("full");
  return words;
}

std::set<std::pair<std::string, std::string>> pairs_of(const std::vector<Case>& cases) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Case& c : cases) {
    const auto words = words_of_case(c);
    for (const auto& a : words) {
      for (const auto& b : words) pairs.insert({a, b});
    }
  }
  return pairs;
}

std::vector<std::string> mask_words(const Case& c) {
  std::vector<std::string> words;
  for (const WordKind& kind : words_of(Field::problem)) {
    if (kind.topic == Topic::mask && !kind.print(c).empty()) words.push_back(kind.name);
  }
  if (words.empty()) words.push_back("full");
  return words;
}

std::int64_t median_pairs(const std::vector<Case>& cases) {
  std::vector<std::int64_t> pairs;
  for (const Case& c : cases) pairs.push_back(dense_pairs(c.problem));
  std::nth_element(pairs.begin(), pairs.begin() + std::ssize(pairs) / 2, pairs.end());
  return pairs[pairs.size() / 2];
}

std::set<std::string> distinct_lines(std::vector<Case> cases) {
  std::set<std::string> lines;
  for (Case& c : cases) {
    c.seed = 0;
    lines.insert(to_line(c));
  }
  return lines;
}

TEST(Suites, CiHasOver3000DistinctCasesOfTheSizesPromised) {
  const auto& cases = ci_cases();
  EXPECT_GT(distinct_lines(cases).size(), 3000u);
  EXPECT_EQ(distinct_lines(cases).size(), cases.size());
  EXPECT_LE(median_pairs(cases), 20000);
  for (const Case& c : cases) EXPECT_LE(dense_pairs(c.problem), 60000) << to_line(c);
}

TEST(Suites, FullHasOver20000DistinctCases) {
  EXPECT_GT(distinct_lines(suite_cases("full")).size(), 20000u);
}

TEST(Suites, SmokeIsSmall) {
  const auto cases = suite_cases("smoke");
  EXPECT_LE(cases.size(), 150u);
  EXPECT_EQ(distinct_lines(cases).size(), cases.size());
}

TEST(Suites, EveryCaseIsValidAndReadsBack) {
  for (const Case& c : suite_cases("smoke")) EXPECT_EQ(parse_case(to_line(c)), c);
  for (const Case& c : ci_cases()) EXPECT_EQ(parse_case(to_line(c)), c);
}

TEST(Suites, CiHasEveryTripleOfScheduleMaskWordAndN) {
  std::set<std::tuple<std::string, std::string, int>> seen;
  std::set<std::string> masks;
  for (const Case& c : ci_cases()) {
    for (const std::string& mask : mask_words(c)) {
      masks.insert(mask);
      seen.insert({c.recipe.schedule, mask, c.recipe.ranks.count()});
    }
  }
  EXPECT_EQ(masks.size(), 9u);
  for (const ScheduleKind& kind : schedule_kinds()) {
    for (const std::string& mask : masks) {
      for (const int n : {1, 2, 3, 4, 5, 8}) {
        EXPECT_TRUE(seen.contains({std::string(kind.name), mask, n})) << kind.name << " " << mask << " " << n;
      }
    }
  }
}

// The ci suite is measured against draws that know nothing of it: a pair that any valid random case has is covered.
TEST(Suites, CiHasEveryPairOfWordsThatRandomCasesHave) {
  const auto covered = pairs_of(ci_cases());
  for (const Case& c : random_cases(4000, 11)) {
    const auto words = words_of_case(c);
    for (const auto& a : words) {
      for (const auto& b : words) {
        const bool other_n = (a[0] == 'N' && !covered.contains({a, a})) || (b[0] == 'N' && !covered.contains({b, b}));
        EXPECT_TRUE(other_n || covered.contains({a, b})) << a << " with " << b << " in " << to_line(c);
      }
    }
  }
}

TEST(Suites, CiRunsBothDirectionsAllFillsTypesAndKernels) {
  std::map<std::string, int> count;
  for (const Case& c : ci_cases()) {
    for (const std::string& w : words_of_case(c)) ++count[w];
  }
  for (const char* word :
       {"fwd",   "bwd",       "random", "needle",  "uniform", "poison",    "overflow",    "f64",
        "f32",   "bf16",      "f16",    "e4m3",    "cpu",     "cpu:naive", "cpu:bitwise", "cpu:eigen",
        "prune", "kv-copies", "order",  "threads", "tile",    "backward",  "dropout",     "rope"}) {
    EXPECT_GE(count[word], 30) << word;
  }
}

// What a word of the line does not show: shapes, and words together.
const std::map<std::string, bool (*)(const Case&)>& rare_things() {
  static const std::map<std::string, bool (*)(const Case&)> things{
      {"one rank", [](const Case& c) { return c.recipe.ranks.count() == 1; }},
      {"over nine ranks", [](const Case& c) { return c.recipe.ranks.count() > 9; }},
      {"more ranks than keys", [](const Case& c) { return c.problem.len_kv < c.recipe.ranks.count(); }},
      {"more ranks than queries", [](const Case& c) { return c.problem.len_q < c.recipe.ranks.count(); }},
      {"a grid of two by more", [](const Case& c) { return c.recipe.ranks.outer > 1 && c.recipe.ranks.inner > 1; }},
      {"Sq < Skv", [](const Case& c) { return c.problem.len_q < c.problem.len_kv; }},
      {"Sq > Skv", [](const Case& c) { return c.problem.len_q > c.problem.len_kv; }},
      {"Dqk < Dv", [](const Case& c) { return c.problem.dim_qk < c.problem.dim_v; }},
      {"Dqk > Dv", [](const Case& c) { return c.problem.dim_qk > c.problem.dim_v; }},
      {"D > 64", [](const Case& c) { return c.problem.dim_qk > 64; }},
      {"GQA", [](const Case& c) { return c.problem.group() > 1 && c.problem.heads_kv > 1; }},
      {"MQA", [](const Case& c) { return c.problem.group() > 1 && c.problem.heads_kv == 1; }},
      {"a batch", [](const Case& c) { return c.problem.batch > 1; }},
      {"wide stripes", [](const Case& c) { return c.recipe.layout.stripe > 2; }},
      {"an offset below 0", [](const Case& c) { return c.problem.mask.offset.value_or(0) < 0; }},
      {"an item without keys",
       [](const Case& c) { return std::count(c.problem.mask.kv_lens.begin(), c.problem.mask.kv_lens.end(), 0) > 0; }},
      {"keys after the last document",
       [](const Case& c) { return !c.problem.mask.docs.empty() && c.problem.mask.docs.back() < c.problem.len_kv; }},
      {"a scale below 0", [](const Case& c) { return c.problem.scale() < 0; }},
      {"three mask words", [](const Case& c) { return mask_words(c).size() >= 3; }},
      {"reversed", [](const Case& c) { return c.recipe.backward == BackwardStyle::reversed; }},
      {"qside", [](const Case& c) { return c.recipe.backward == BackwardStyle::qside; }}};
  return things;
}

TEST(Suites, RandomCasesReachTheWholeGrammar) {
  std::map<std::string, int> count;
  for (const Case& c : random_cases(2000, 1)) {
    for (const std::string& w : words_of_case(c)) ++count[w];
    for (const auto& [name, is_there] : rare_things()) count[name] += is_there(c) ? 1 : 0;
  }
  std::vector<std::string> wanted;
  for (int field = 0; field < case_fields; ++field) {
    for (const WordKind& kind : words_of(static_cast<Field>(field))) {
      const bool counted = kind.topic != Topic::shape && kind.topic != Topic::seed && kind.topic != Topic::ranks;
      if (counted && kind.takes != Takes::itself && kind.name != "custom" && kind.name != "link-mb" &&
          kind.topic != Topic::fault) {  // link-mb: when, not what
        wanted.push_back(kind.name);
      }
    }
  }
  for (const char* name : {"cpu", "cpu:naive", "cpu:bitwise", "cpu:eigen"}) wanted.push_back(name);
  for (const auto& [name, is_there] : rare_things()) wanted.push_back(name);
  for (const std::string& name : wanted) EXPECT_GE(count[name], 10) << name;
}

TEST(Suites, AreTheSameEveryTime) {
  EXPECT_EQ(suite_cases("smoke"), suite_cases("smoke"));
  EXPECT_EQ(random_cases(20, 5), random_cases(20, 5));
  EXPECT_NE(random_cases(20, 5), random_cases(20, 6));
}

TEST(Suites, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    suite_cases("smok");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("`smoke`"), std::string::npos);
  }
}

}  // namespace
}  // namespace ringscope
