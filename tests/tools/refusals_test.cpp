// What a breaker found: each of these once crashed, hung or looked like success.
#include <gmock/gmock.h>

#include <signal.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/text_file.h"
#include "formats/new_file.h"
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

TEST(Refusals, MoreThanTheProofTakesIsNoWrongPlan) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"prove"}, {"explain"}, {"show", "counts"}}) {
    std::vector<std::string> all = words;
    all.push_back("h4 s1073741824 | ring r2");
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, 2) << words.back();
    EXPECT_THAT(ran.err, AllOf(HasSubstr("too large to prove"), HasSubstr("take fewer tokens"))) << words.back();
  }
}

TEST(Refusals, AFlagTwiceIsNoFlagWithoutItsValue) {
  const Ran ran = run({"check", "dump.npz", "--mask", "causal", "--mask", "full"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("`--mask` twice"));
  EXPECT_THAT(run({"check", "dump.npz", "--mask"}).err, HasSubstr("`--mask` without its value"));
}

TEST(Refusals, ExplainKnowsWhichBackendsThereAre) {
  const Ran ran = run({"explain", "s16 | ring r2 | gpu"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("gpu"));
  EXPECT_EQ(ran.out, "");
}

// Some editors put one before UTF-8.
const std::string byte_order_mark = "\xEF\xBB\xBF";

TEST(Refusals, AByteOrderMarkIsNoText) {
  const std::string path = testing::TempDir() + "byte_order_mark.txt", line = "h1 s8 | ring r2";
  write_file(path, byte_order_mark + line + "\n");
  EXPECT_EQ(run({"verify", "--file", path}).code, 0);
  ASSERT_EQ(run({"prove", line, "--write", path}).code, 0);
  write_file(path, byte_order_mark + read_text_file(path));
  EXPECT_EQ(run({"prove", "--schedule", path}).code, 0);
  write_file(path, byte_order_mark + "rank 0 q 0:1:0:4\nrank 0 kv 0:1:0:4\nrank 1 q 4:1:0:4\nrank 1 kv 4:1:0:4\n");
  EXPECT_EQ(run({"prove", "s8 | custom=" + path + " ring r2"}).code, 0);
  std::filesystem::remove(path);
}

TEST(Refusals, AWrongLayoutFileIsNamedWithTheLine) {
  const std::string path = testing::TempDir() + "wrong_layout.txt", begin = "rank 0 q 0:1:0:4\nrank 0 kv 0:1:0:4\n";
  for (const auto& [rest, place] : std::vector<std::pair<std::string, std::string>>{
           {"rank 1 q 4:x:0:4\n", ": `4:x:0:4` at line 3, column 10"},
           {"rank 2 q 4:1:0:4\n", ": `2` at line 3, column 6"},
           {"rang 1 q 4:1:0:4\n", ": `rang` at line 3, column 1"},
           {"rank 1 k 4:1:0:4\n", ": `k` at line 3, column 8"},
           {"rank 1 q 4:1:0:4\nrank 1 kv 3:1:0:4\n", ": key position 3 twice"},
           {"", ": rank 1 with 0 lines"}}) {
    write_file(path, begin + rest);
    const Ran ran = run({"prove", "s8 | custom=" + path + " ring r2"});
    EXPECT_EQ(ran.code, 2) << rest;
    EXPECT_THAT(ran.err, HasSubstr(path + place)) << rest;
  }
  std::filesystem::remove(path);
}

TEST(Refusals, AFaultWithoutItsPlaceIsToldWhichThereAre) {
  const std::string line = "s16 | ring r4", outside = "it has ranks 0 to 3 and steps 0 to 8";
  const Ran verify = run({"verify", line, "--fault", "drop-block@r9,t1"});
  EXPECT_EQ(verify.code, 3);
  EXPECT_THAT(verify.out, AllOf(HasSubstr(outside), HasSubstr("@r0,t0")));
  EXPECT_THAT(run({"explain", line + " | cpu | fault=drop-block@r9,t1"}).out, HasSubstr(outside));
  const Ran show = run({"show", "ring", line + " | cpu | fault=drop-block@r1,t99"});
  EXPECT_EQ(show.code, 2);
  EXPECT_THAT(show.err, HasSubstr(outside));
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
    for (const char* line : {"s1024 | ring r1024", "s8 | ring r1024"}) {  // many moves; many ranks without any
      const Ran ran = run({command, line});
      EXPECT_EQ(ran.code, 2) << command << line;
      EXPECT_THAT(ran.err, AllOf(HasSubstr("too large"), HasSubstr("fewer ranks"))) << command << line;
    }
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
