// The museum, hall of races: something is read before it is there, or written before it is free (docs/museum.md, R1 to
// R8). A plan says all waits, so the proof sees them without a race having to happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catalogue/exhibit.h"
#include "tests/catalogue/mistaken_kernel.h"
#include "tests/core/damage.h"

namespace ringscope {
namespace {

// R1. The consumer does not wait for the stream that prepares its data.
TEST(Buffers, AConsumerThatDoesNotWaitReadsWhatIsNotThere) {
  const Plan plan = plan_of("b1 h2 s16 d4 | contiguous ring r4");
  Damage damage(plan, 0);
  const auto site =
      damage.pick(&StepLists::attends, [](std::size_t t, const Attend& a) { return t == 2 && a.rank == 1; });
  ASSERT_TRUE(site);
  const Attend early = damage.take(&StepLists::attends, *site);
  damage.steps[1].attends.push_back(early);
  const Violation v = expect_refused(plan, damage.plan(), Rule::presence);
  EXPECT_EQ(v.rank, 1);
  EXPECT_EQ(v.step, 1);
}

// R2. The wait returns while the side stream still works: the block lands a step later than it is used.
TEST(Buffers, AWaitThatDoesNotCoverTheSideStreamIsTooShort) {
  const Plan plan = plan_of("b1 h2 s16 d4 | contiguous ring r4");
  Plan wrong = plan;
  const auto move = std::ranges::find_if(wrong.schedule.moves, [](const Move& m) { return m.to == 3; });
  ASSERT_NE(move, wrong.schedule.moves.end());
  move->lag = 1;
  const Violation v = expect_refused(plan, wrong, Rule::presence);
  EXPECT_EQ(v.rank, 3);
}

// R3. "Data ready" without "buffer free".
TEST(Buffers, ABufferFilledAgainBeforeItsReaderIsDoneIsOverwritten) {
  const Plan plan = plan_of("b1 h2 s16 d4 | contiguous ring r4");
  expect_refused(plan, with_plant(plan, "landing in a busy slot"), Rule::overwrite);
}

// R4. One slot per block, but two blocks staged in the same one.
TEST(Buffers, TwoTransfersStagedInOneSlotCollide) {
  const Plan plan = plan_of("b1 h2 s16 d4 fwd | contiguous bidi r4");
  Plan wrong = plan;
  for (Move& m : wrong.schedule.moves) {
    if (m.to == 2) m.slot = 1;
  }
  const Violation v = expect_refused(plan, wrong, Rule::overwrite);
  EXPECT_EQ(v.rank, 2);
}

// R5. What is still being read on its way out is written by the next block's work.
TEST(Buffers, AnOutputWrittenWhileItIsStillBeingSentIsWriteAfterRead) {
  const Plan plan = plan_of("b1 h2 s16 d4 | contiguous ring r4");
  expect_refused(plan, with_plant(plan, "attend into what is being sent"), Rule::overwrite);
}

// R6. Memory given back while a transfer of several steps still reads it.
TEST(Buffers, MemoryReusedWhileAFlightReadsItIsOverwritten) {
  const Plan plan = plan_of("b1 h2 s36 d4 | contiguous double-ring r3x3");
  expect_refused(plan, with_plant(plan, "landing where a flight reads"), Rule::overwrite);
  expect_refused(plan, with_plant(plan, "landing in a reserved slot"), Rule::overwrite);
}

// R7. LSE and delta of padding rows were never written; a weight of 0 does not stop their NaN.
class TileWithAnUnwrittenRow final : public MistakenKernel {
 public:
  void backward(const Call& call) const override {
    right().backward(call);
    if (call.view.rows() % 4 == 0) return;  // no padding
    const double lse = std::numeric_limits<double>::quiet_NaN(), delta = lse, masked = 0, dp = 0, q = 0;
    const double p = masked * std::exp(0 - lse);
    for (std::size_t n = 0; n < call.dkv.size(); ++n) {
      const std::int64_t keys = call.kv_rows[n % call.kv_rows.size()];
      for (std::int64_t i = 0; i < keys * call.problem.dim_qk; ++i) call.dkv[n][i] += p * (dp - delta) * q;
    }
  }
};

TEST(Buffers, UnwrittenStatsOfPaddingRowsReachDkThroughZeroTimesNaN) {
  const Report report = verified("b1 h2 s7 d4 f64 causal | contiguous ring r2", kernel_with<TileWithAnUnwrittenRow>());
  expect_place(report, "bounds", Output::dk);
  EXPECT_GT(report.of(Output::dk).nonfinite, 0);
  EXPECT_EQ(report.of(Output::dq).verdict, Verdict::passed);
  EXPECT_EQ(verified("b1 h2 s8 d4 f64 causal | contiguous ring r2", kernel_with<TileWithAnUnwrittenRow>()).verdict,
            Verdict::passed);
}

// R8. The last step has no join: results are read before all has come in.
TEST(Buffers, ResultsReadBeforeTheLastStepIsJoinedAreIncomplete) {
  const Plan plan = plan_of("b1 h2 s16 d4 fwd | contiguous ring r4");
  expect_refused(plan, with_plant(plan, "Finish early"), Rule::finish);
}

}  // namespace
}  // namespace ringscope
