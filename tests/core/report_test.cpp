#include "core/report.h"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

Summary summary_of(std::initializer_list<Verdict> verdicts) {
  Summary s;
  for (const Verdict v : verdicts) s.add({.verdict = v});
  return s;
}

TEST(Report, NamesAreTheWordsOfTheJson) {
  EXPECT_EQ(name_of(Verdict::passed), "passed");
  EXPECT_EQ(name_of(Verdict::mistrusted), "mistrusted");
  EXPECT_EQ(name_of(Verdict::faulted), "faulted");
  EXPECT_EQ(name_of(Output::o), "o");
  EXPECT_EQ(name_of(Output::lse), "lse");
  EXPECT_EQ(name_of(Output::dv), "dv");
}

TEST(Report, SummaryCountsEachVerdict) {
  const Summary s = summary_of({Verdict::passed, Verdict::failed, Verdict::passed, Verdict::mistrusted,
                                Verdict::skipped, Verdict::invalid, Verdict::faulted});
  EXPECT_EQ(s.passed, 2);
  EXPECT_EQ(s.failed, 1);
  EXPECT_EQ(s.mistrusted, 1);
  EXPECT_EQ(s.skipped, 1);
  EXPECT_EQ(s.invalid, 1);
  EXPECT_EQ(s.faulted, 1);
}

TEST(Report, ExitCodeIsTheWorstThatHappened) {
  using enum Verdict;
  EXPECT_EQ(summary_of({passed}).exit_code(), 0);
  EXPECT_EQ(summary_of({passed, skipped}).exit_code(), 0);
  EXPECT_EQ(summary_of({skipped}).exit_code(), 3);
  EXPECT_EQ(summary_of({}).exit_code(), 3);
  EXPECT_EQ(summary_of({passed, invalid}).exit_code(), 2);
  EXPECT_EQ(summary_of({passed, invalid, mistrusted}).exit_code(), 1);
  EXPECT_EQ(summary_of({passed, invalid, failed}).exit_code(), 1);
  EXPECT_EQ(summary_of({passed, invalid, failed, faulted}).exit_code(), 4);
}

TEST(Report, AFaultThatNothingSawIsNoSuccess) {
  Summary s = summary_of({Verdict::passed});
  s.add({.fault_unseen = true});
  EXPECT_EQ(s.passed, 2);
  EXPECT_EQ(s.fault_unseen, 1);
  EXPECT_EQ(s.exit_code(), 3);
  s.add({.verdict = Verdict::failed});  // somebody saw it
  EXPECT_EQ(s.exit_code(), 1);
}

}  // namespace
}  // namespace ringscope
