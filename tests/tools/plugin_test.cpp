// A plug-in as a person meets it: through the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

std::string line_of(const std::string& file) {
  return "s32 causal | zigzag ring r2 | cpu:plugin=" + file;
}

TEST(PluginCommand, TheReportNamesTheMistake) {
  const std::string file = RINGSCOPE_PLUGINS "/strict.so";
  const Ran ran = run({"verify", line_of(file)});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("strict_causal"));
  const Ran as_json = run({"verify", "--json", line_of(file)});
  const auto report = nlohmann::json::parse(as_json.out.substr(0, as_json.out.find('\n')));
  EXPECT_EQ(report["diagnosis"]["name"], "strict_causal");
}

TEST(PluginCommand, TheSameMistakeHasANameUnderMasksThatAreNotCausal) {
  for (const char* mask : {"full", "window=5,5", "docs=0,9,32"}) {
    const std::string line =
        "s32 " + std::string(mask) + " | zigzag ring r2 | cpu:plugin=" RINGSCOPE_PLUGINS "/strict.so";
    const Ran ran = run({"verify", "--json", line});
    EXPECT_EQ(ran.code, 1);
    const auto report = nlohmann::json::parse(ran.out.substr(0, ran.out.find('\n')));
    EXPECT_EQ(report["diagnosis"]["name"], "own_key_missing") << mask;
    EXPECT_TRUE(report["diagnosis"]["certain"]) << mask;
  }
}

TEST(PluginCommand, ACrashIsAFailedCaseWithItsLine) {
  const std::string file = RINGSCOPE_BAD_PLUGINS "/crash.so";
  const Ran ran = run({"verify", "s32 fwd | ring r2 | cpu:plugin=" + file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("check plugin, rank"));
  EXPECT_THAT(ran.out, HasSubstr("crashed (SIGSEGV)"));
  EXPECT_THAT(ran.out, HasSubstr("repeat: ringscope verify"));
}

TEST(PluginCommand, AMissingFileIsABadRequest) {
  EXPECT_EQ(run({"verify", line_of("./none.so")}).code, 2);
  const Ran named = run({"verify", "--suite", "smoke", "--backend", "cpu:plugin=./none.so"});
  EXPECT_EQ(named.code, 2);
  EXPECT_THAT(named.err, HasSubstr("no such file"));
}

TEST(PluginCommand, TheListSaysHowToBringOne) {
  EXPECT_THAT(run({"list", "backends"}).out, HasSubstr("cpu:plugin=FILE"));
}

}  // namespace
}  // namespace ringscope
