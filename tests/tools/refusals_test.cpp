// What a breaker found: each of these once crashed, hung or looked like success.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;

TEST(Refusals, ADirectoryIsNoTextFile) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"verify", "--file", "/"},
                                                {"prove", "--schedule", "/"},
                                                {"prove", "s16 | custom=/ ring r2"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words.back();
    EXPECT_THAT(ran.err, HasSubstr("regular file")) << words.back();
  }
}

TEST(Refusals, LengthsThatTheProofCannotTakeAreInvalid) {
  const Ran ran = run({"explain", "s999999999999 causal | zigzag ring r4"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("1073741824"));
}

TEST(Refusals, AFullDiskIsNoSuccess) {
  const std::filesystem::path full("/dev/full");
  const Ran ran = run({"prove", "s16 | ring r2", "--write", full.string()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("can be written"));
}

TEST(Refusals, AWrittenScheduleIsProvedAgain) {
  const std::string path = testing::TempDir() + "written_schedule.txt";
  ASSERT_EQ(run({"prove", "h6/2 s23 causal | zigzag usp r2x2 kv-copies", "--write", path}).code, 0);
  EXPECT_EQ(run({"prove", "--schedule", path}).code, 0);
  EXPECT_EQ(run({"verify", "--schedule", path}).code, 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ringscope
