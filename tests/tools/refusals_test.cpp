// What a breaker found: each of these once crashed, hung or looked like success.
#include <gmock/gmock.h>

#include <signal.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

using ::testing::AllOf;
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
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
}

TEST(Refusals, NothingThatWasGotActsOnTheTerminal) {
  for (const char* command : {"verify", "explain"}) {
    const Ran ran = run({command, "h4 \x1b[31mred\x7f | ring r2"});
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_THAT(ran.out + ran.err, HasSubstr("\\x1b[31mred\\x7f")) << command;
  }
}

TEST(Refusals, AWrittenScheduleIsProvedAgain) {
  const std::string path = testing::TempDir() + "written_schedule.txt";
  ASSERT_EQ(run({"prove", "h6/2 s23 causal | zigzag usp r2x2 kv-copies", "--write", path}).code, 0);
  EXPECT_EQ(run({"prove", "--schedule", path}).code, 0);
  EXPECT_EQ(run({"verify", "--schedule", path}).code, 0);
  std::filesystem::remove(path);
}

// The machine's memory as a test says it is.
class SaidMemory {
 public:
  explicit SaidMemory(const char* text) { ::setenv("RINGSCOPE_MEMORY", text, 1); }
  ~SaidMemory() { ::unsetenv("RINGSCOPE_MEMORY"); }
};

TEST(Refusals, ACaseThatDoesNotFitIntoMemoryIsRefusedBeforeItRuns) {
  const std::string line = "h2 s512 d32 causal | zigzag ring r4 | cpu | random seed=0";
  const SaidMemory memory("2M");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"verify", line},
                                                {"show", "error", line},
                                                {"export", line, testing::TempDir() + "large.safetensors"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << words[0];
    EXPECT_THAT(ran.out + ran.err, HasSubstr("too large")) << words[0];
    EXPECT_THAT(ran.out + ran.err, HasSubstr("2 MiB that are free")) << words[0];
  }
  EXPECT_EQ(run({"verify", "s32 | ring r2"}).code, 0);
}

TEST(Refusals, AScheduleThatDoesNotFitIntoMemoryIsRefusedBeforeItIsMade) {
  const SaidMemory memory("20M");
  for (const char* command : {"prove", "explain"}) {
    const Ran ran = run({command, "s1024 | ring r1024"});
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("too large"), HasSubstr("fewer ranks"))) << command;
  }
}

TEST(Refusals, AMemoryThatIsNoSizeIsRefused) {
  const SaidMemory memory("plenty");
  EXPECT_EQ(run({"verify", "s32 | ring r2"}).code, 2);
}

// Ctrl-C as soon as somebody listens.
[[noreturn]] void interrupted(const std::vector<std::string>& words) {
  std::signal(SIGINT, SIG_IGN);
  std::jthread presser([] {
    struct sigaction now {};
    do {
      std::this_thread::yield();
      ::sigaction(SIGINT, nullptr, &now);
    } while (now.sa_handler == SIG_IGN);
    std::raise(SIGINT);
  });
  std::exit(run_program(words));
}

TEST(Refusals, CtrlCEndsVerifyWithHowFarItCame) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(interrupted({"verify", "--random", "10000000"}), testing::ExitedWithCode(130), "no case was begun");
  EXPECT_EXIT(interrupted({"verify", "h8 s8192 d64 | ring r2", "h8 s8192 d64 | ring r2"}), testing::ExitedWithCode(130),
              "interrupted: 0 of 2 cases done, 0 passed, 0 did not");
}

}  // namespace
}  // namespace ringscope
