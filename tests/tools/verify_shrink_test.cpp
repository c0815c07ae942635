// Random cases with mistakes planted: found, and made small.
#include "tools/verify_shrink.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "backends/registry/registry.h"
#include "core/shrink.h"
#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

std::optional<Shrunk> first_found(const VerifyArguments& arguments, const VerifyOptions& options) {
  References references;
  Shrinker shrinker(arguments, options);
  for (const VerifyJob& job : make_jobs(arguments)) {
    const Verified result = verify(*job.c, references, options);
    if (const auto shrunk = shrinker.shrink(job, result)) {
      EXPECT_TRUE(is_same_failure(result.report, shrunk->result.report)) << job.line << "\n" << shrunk->job.line;
      EXPECT_EQ(shrunk->result.report.case_line, shrunk->job.line);
      return shrunk;
    }
  }
  return std::nullopt;
}

void expect_found_and_small(const char* fault, Unproved unproved) {
  const VerifyOptions options{.make_backend = make_backend, .unproved = unproved};
  for (const char* seed : {"1", "2", "3", "4"}) {
    VerifyArguments arguments;
    arguments.random = "200";
    arguments.seed = seed;
    arguments.fault = fault;
    arguments.unproved = unproved == Unproved::run;
    const auto shrunk = first_found(arguments, options);
    ASSERT_TRUE(shrunk) << fault;
    const Case& c = *shrunk->job.c;
    EXPECT_LE(c.problem.len_q, 16) << shrunk->job.line;
    EXPECT_LE(c.problem.len_kv, 16) << shrunk->job.line;
    EXPECT_LE(c.recipe.ranks.count(), 3) << shrunk->job.line;
    EXPECT_GT(shrunk->tries, 0);
    EXPECT_THAT(shrunk->job.repeat, testing::HasSubstr(shrunk->job.line));
  }
}

TEST(VerifyShrink, SubtleMistakesAreFoundWithin200CasesAndShrunkToAFewTokensOnFewRanks) {
  for (const char* fault :
       {"strict-causal", "merge-weights-swapped", "delta-local", "dkv-one-hop-short", "gqa-head-mod"}) {
    expect_found_and_small(fault, Unproved::refuse);
  }
}

TEST(VerifyShrink, MistakesOfSchedulesAreShrunkByTheProofAndByTheNumbers) {
  for (const char* fault : {"drop-block", "drop-move"}) {
    expect_found_and_small(fault, Unproved::refuse);
    expect_found_and_small(fault, Unproved::run);
  }
}

TEST(VerifyShrink, TheDiagnosisIsOfACaseThatIsLargeEnoughToTellMistakesApart) {
  const std::string line =
      "b1 h4/2 s24 d16 f32 causal | zigzag ring r3 | cpu:naive | random seed=0 fault=merge-weights-swapped";
  VerifyArguments arguments;
  arguments.cases = {line};
  arguments.shrink = true;
  const auto shrunk = first_found(arguments, {.make_backend = make_backend, .most_to_diagnose = 1e6});
  ASSERT_TRUE(shrunk);
  EXPECT_LT(shrunk->job.c->problem.len_q, 24);
  EXPECT_EQ(shrunk->diagnosed_in, line);
  const auto& diagnosis = shrunk->result.report.diagnosis;
  EXPECT_TRUE(!diagnosis || diagnosis->name == "merge_weights_swapped") << diagnosis->name;
}

TEST(VerifyShrink, RightCasesAreLeftAlone) {
  VerifyArguments arguments;
  arguments.random = "100";
  arguments.seed = "8";
  EXPECT_FALSE(first_found(arguments, {.make_backend = make_backend}));
}

TEST(VerifyShrink, CasesThatPeopleNamedStayAsTheyAreUnlessAsked) {
  VerifyArguments arguments;
  arguments.cases = {"s24 causal | zigzag ring r4 | cpu:naive | random fault=drop-block@r2,t1"};
  const VerifyOptions options{.make_backend = make_backend};
  EXPECT_FALSE(first_found(arguments, options));
  arguments.shrink = true;
  const auto shrunk = first_found(arguments, options);
  ASSERT_TRUE(shrunk);
  EXPECT_LE(shrunk->job.c->problem.len_q, 4) << shrunk->job.line;
}

TEST(VerifyShrink, OnlyTheFirstFailureOfItsKindIsShrunk) {
  VerifyArguments arguments;
  arguments.cases = {"s24 | ring r4 | cpu:naive | random fault=drop-block@r2,t1",
                     "s36 | ring r3 | cpu:naive | random fault=drop-block@r1,t1"};
  arguments.shrink = true;
  const VerifyOptions options{.make_backend = make_backend};
  References references;
  Shrinker shrinker(arguments, options);
  const auto jobs = make_jobs(arguments);
  EXPECT_TRUE(shrinker.shrink(jobs[0], verify(*jobs[0].c, references, options)));
  EXPECT_FALSE(shrinker.shrink(jobs[1], verify(*jobs[1].c, references, options)));
}

TEST(VerifyShrink, TheReportShowsTheSmallestCaseAndWhereItCameFrom) {
  const std::string line = "b1 h4 s24 d16 f32 causal | zigzag ring r4 | cpu:naive | random seed=0 fault=strict-causal";
  const Ran ran = run({"verify", line, "--shrink"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out,
              testing::HasSubstr("fwd | contiguous ring r1 | cpu:naive | random seed=0 fault=strict-causal\n"));
  EXPECT_THAT(ran.out, testing::HasSubstr("tries from: " + line));
}

TEST(VerifyShrink, JsonHasBothReports) {
  const Ran ran = run({"verify", "--random", "40", "--seed", "1", "--fault", "strict-causal", "--json"});
  EXPECT_EQ(ran.code, 1);
  std::istringstream lines(ran.out);
  int shrunk = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains("shrunk")) continue;
    ++shrunk;
    EXPECT_EQ(json["shrunk"]["verdict"], json["verdict"]);
    EXPECT_EQ(json["shrunk"]["where"]["check"], json["where"]["check"]);
    EXPECT_LT(json["shrunk"]["case"].get<std::string>().size(), json["case"].get<std::string>().size());
    EXPECT_GT(json["shrunk"]["tries"], 0);
  }
  EXPECT_GT(shrunk, 0);
}

}  // namespace
}  // namespace ringscope
