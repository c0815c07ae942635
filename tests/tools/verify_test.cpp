// core/verify.h with real backends.
#include "core/verify.h"

#include <gmock/gmock.h>

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/suites.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;

Verified verified(const std::string& line, VerifyOptions options = {}) {
  References references;
  options.make_backend = make_backend;
  return verify(parse_case(line), references, options);
}

TEST(Verify, EverySmokeCasePasses) {
  References references;
  const VerifyOptions options{.make_backend = make_backend};
  for (const Case& c : suite_cases("smoke")) {
    const Report report = verify(c, references, options).report;
    EXPECT_EQ(report.verdict, Verdict::passed) << report.case_line << "\n" << report.reason;
    EXPECT_EQ(report.case_line, to_line(c));
  }
}

TEST(Verify, APlantedScheduleFaultIsRefusedByTheProofAndItsPlaceNamed) {
  const Report report = verified("causal | zigzag ring r8 | cpu | random fault=drop-block@r2,t1").report;
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->check, "proof");
  EXPECT_EQ(report.where->rank, 2);
  EXPECT_EQ(report.where->step, 1);
  EXPECT_EQ(report.where->kv_block, 1);
}

TEST(Verify, TheSameFaultIsSeenInTheNumbersAtTheSamePlace) {
  const VerifyOptions options{.unproved = Unproved::run};
  for (const char* recipe : {"zigzag ring r4", "striped all-gather r4", "contiguous bidi r3", "zigzag pass-q r4",
                             "contiguous double-ring r2x2", "striped=3 usp r2x2"}) {
    for (const char* backend : {"cpu:naive", "cpu:eigen"}) {
      const std::string line =
          std::string("s40 rope=100 alibi | ") + recipe + " | " + backend + " | random fault=drop-block@r1,t";
      int found = 0;
      for (int step = 0; step < 4; ++step) {
        const Case c = parse_case(line + std::to_string(step));
        const Report report = verified(to_line(c), options).report;
        if (report.verdict == Verdict::skipped) continue;
        ++found;
        EXPECT_EQ(report.verdict, Verdict::failed) << report.case_line;
        ASSERT_TRUE(report.where) << report.case_line << report.reason;
        if (report.where->check == "proof" || report.where->step < 0) continue;
        EXPECT_EQ(report.where->rank, 1) << report.case_line << report.reason;
        EXPECT_GE(report.where->step, step) << report.case_line << report.reason;
      }
      EXPECT_GT(found, 0) << line;
    }
  }
}

TEST(Verify, TheNumbersNameTheBlockThatWasDropped) {
  const Report report =
      verified("s64 causal fwd | zigzag ring r4 | cpu | random fault=drop-block@r2,t1", {.unproved = Unproved::run})
          .report;
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->check, "baseline");
  EXPECT_EQ(report.where->rank, 2);
  EXPECT_EQ(report.where->step, 1);
  EXPECT_EQ(report.where->kv_block, 1);
  EXPECT_THAT(report.reason, HasSubstr("lacks what Q b2 with KV b1 adds"));
}

TEST(Verify, AGradientThatLacksAPartIsNamedToo) {
  const Report report =
      verified("s64 causal f64 | zigzag ring r4 | cpu | random fault=drop-block@r2,t6", {.unproved = Unproved::run})
          .report;
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->output, Output::dq);
  EXPECT_EQ(report.where->rank, 2) << report.reason;
  EXPECT_EQ(report.where->step, 6) << report.reason;
}

TEST(Verify, AFaultOfTheWorldIsFaultedWithItsPlace) {
  for (const char* fault : {"kill", "drop-message", "stall"}) {
    const Report report = verified(std::string("b1 | ring r4 | cpu | random fault=") + fault + "@r2,t1").report;
    EXPECT_EQ(report.verdict, Verdict::faulted) << report.reason;
    ASSERT_TRUE(report.where);
    EXPECT_EQ(report.where->check, "transport");
    EXPECT_EQ(report.where->step, 1);
  }
}

TEST(Verify, AFaultWithoutAPlaceIsSkipped) {
  const Report report = verified("b1 | ring r1 | cpu | random fault=drop-move").report;
  EXPECT_EQ(report.verdict, Verdict::skipped);
  EXPECT_THAT(report.reason, HasSubstr("fault does not apply"));
}

TEST(Verify, AFaultThatTheFillCannotSeeIsSaidAndOneThatItSeesFails) {
  const std::string line = "s40 d32 causal | zigzag ring r4 | cpu | ";
  const Report unseen = verified(line + "needle fault=delta-local").report;
  EXPECT_EQ(unseen.verdict, Verdict::passed);
  EXPECT_TRUE(unseen.fault_unseen);
  EXPECT_THAT(unseen.reason, HasSubstr("the planted fault delta-local was not seen by this case"));
  EXPECT_THAT(unseen.reason, HasSubstr("same bits"));
  const Report seen = verified(line + "random fault=delta-local").report;
  EXPECT_EQ(seen.verdict, Verdict::failed);
  EXPECT_FALSE(seen.fault_unseen);
  EXPECT_EQ(verified(line + "needle").report.reason, "");
}

TEST(Verify, AnAbsentBackendIsSkippedAndAnUnknownOneInvalid) {
  EXPECT_EQ(verified("b1 | ring | cuda-emu").report.verdict, Verdict::skipped);
  EXPECT_EQ(verified("b1 | ring | cpu:nave").report.verdict, Verdict::invalid);
}

TEST(Verify, AMissingLayoutFileIsInvalid) {
  EXPECT_EQ(verified("b1 | custom=/no/such/file ring r2").report.verdict, Verdict::invalid);
}

TEST(Verify, NaiveAndBitwiseGiveTheSameBits) {
  const VerifyOptions options{.against = BackendChoice{"cpu:bitwise"}, .wanted = Wanted::same_bits};
  const Verified result = verified("b2 h6/2 s37 d10/7 causal | zigzag ring r3 | cpu:naive", options);
  EXPECT_EQ(result.report.verdict, Verdict::passed) << result.report.reason;
  ASSERT_TRUE(result.agreement);
  EXPECT_TRUE(result.agreement->same_bits());
}

TEST(Verify, OtherBitsFailOnlyWhenTheSameAreWanted) {
  VerifyOptions options{.against = BackendChoice{"cpu:bitwise"}};
  const std::string line = "b1 h4 s64 d32 | zigzag ring r2 | cpu:eigen";
  const Verified figures = verified(line, options);
  EXPECT_EQ(figures.report.verdict, Verdict::passed);
  ASSERT_TRUE(figures.agreement);
  EXPECT_FALSE(figures.agreement->same_bits());
  options.wanted = Wanted::same_bits;
  const Verified bits = verified(line, options);
  EXPECT_EQ(bits.report.verdict, Verdict::failed);
  ASSERT_TRUE(bits.report.where);
  EXPECT_EQ(bits.report.where->check, "bits");
}

}  // namespace
}  // namespace ringscope
