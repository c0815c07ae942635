#include "tools/progress.h"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

using std::chrono::seconds;

TEST(Progress, AStageThatKnowsHowFarItIsHasAnEstimate) {
  const Doing::Clock::time_point begin;
  EXPECT_EQ(in_words({"oracle", 0.25, begin}, begin + seconds(10)), "oracle 25 %, about 30 s left");
  EXPECT_EQ(in_words({"oracle", 0.01, begin}, begin + seconds(20)), "oracle 1 %, about 33 min left");
  EXPECT_EQ(in_words({"oracle", 0.001, begin}, begin + seconds(20)), "oracle 0 %, about 6 h left");
  EXPECT_EQ(in_words({"run", 1, begin}, begin + seconds(10)), "run 100 %, about 0 s left");
}

TEST(Progress, AStageThatDoesNotKnowTellsItsTime) {
  const Doing::Clock::time_point begin;
  EXPECT_EQ(in_words({"proof", std::nullopt, begin}, begin + seconds(3)), "proof, 3 s so far");
  EXPECT_EQ(in_words({"oracle", 0, begin}, begin + seconds(3)), "oracle, 3 s so far");
  EXPECT_EQ(in_words({"oracle", 1e-6, begin}, begin + seconds(3)), "oracle, 3 s so far");
}

TEST(Progress, NothingIsShownWherePeopleDoNotLook) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.begin(100);
    progress.tell("oracle", 0.5);
    progress.wait({}, {"proof"});
    progress.step();
    const Ticker ticker("plan");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace ringscope
