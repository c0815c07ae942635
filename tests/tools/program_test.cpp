#include "tests/tools/run_program.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/case.h"
#include "core/recipe.h"
#include "core/schedule_text.h"
#include "core/text_file.h"

namespace ringscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<nlohmann::json> json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) / name) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const std::string small = "b1 h2 s16 d8 f32 causal | zigzag ring r2 | cpu:naive | random seed=3";

TEST(Program, VersionAndHelpExitWithZero) {
  EXPECT_THAT(run({"--version"}).out, HasSubstr("ringscope "));
  EXPECT_EQ(run({"--help"}).code, 0);
  for (const char* command : {"verify", "prove", "explain", "list", "show", "completion"}) {
    const Ran help = run({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  ")) << command;
  }
}

TEST(Program, APassedCaseExitsWithZeroAndJsonIsAloneOnStdout) {
  const Ran ran = run({"verify", small, "--json"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  const auto lines = json_lines(ran.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["case"], small);
  EXPECT_EQ(lines[0]["verdict"], "passed");
  EXPECT_EQ(lines[0]["figures"].size(), 5u);
  EXPECT_TRUE(lines[0]["where"].is_null());
  EXPECT_EQ(lines[1]["summary"]["passed"], 1);
}

TEST(Program, ExitCodesAreThoseOfTheDesign) {
  EXPECT_EQ(run({"verify", small}).code, 0);
  EXPECT_EQ(run({"verify", small + " fault=drop-block"}).code, 1);
  EXPECT_EQ(run({"verify", "b1 zigzg", small}).code, 2);
  EXPECT_EQ(run({"verify", "b1 | ring | cuda-emu"}).code, 3);
  EXPECT_EQ(run({"verify", small + " fault=kill", small + " fault=drop-block", "b0 h1"}).code, 4);
  EXPECT_EQ(run({"verify", "b1 | ring | cuda-emu", small}).code, 0);
}

TEST(Program, AFaultThatNoCheckSawExitsWithThree) {
  const std::string unseen = "s40 d32 causal | zigzag ring r4 | cpu | needle";
  const Ran text = run({"verify", unseen, "--fault", "delta-local"});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.out, AllOf(HasSubstr("the planted fault delta-local was not seen by this case"),
                              HasSubstr("all passed; 1 that passed did not see the planted fault")));
  const auto lines = json_lines(run({"verify", unseen + " fault=delta-local", "--json"}).out);
  EXPECT_EQ(lines[0]["verdict"], "passed");
  EXPECT_THAT(lines[0]["reason"].get<std::string>(), HasSubstr("delta-local was not seen"));
  EXPECT_EQ(lines[1]["summary"]["fault_unseen"], 1);
}

TEST(Program, TwoFaultsForOneCaseAreRefused) {
  const Ran ran = run({"verify", small + " fault=drop-block@r1", "--fault", "strict-causal"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("fault=drop-block@r1"), HasSubstr("drop --fault strict-causal")));
  EXPECT_EQ(run({"verify", small + " fault=strict-causal", "--fault", "strict_causal"}).code, 1);
}

TEST(Program, AnUnquotedCaseIsRefused) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"verify", "b1", "h4", "causal"}, {"prove", "b1", "h4"}, {"explain", "b1", "h4"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("quote the case"));
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Program, UnknownWordsAreRefusedWithTheNearestRightOne) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"verfy"}, "`verify`"},
      {{"verify", "--suit", "ci"}, "`--suite`"},
      {{"verify", "--suite", "smok"}, "`smoke`"},
      {{"verify", "--backend", "cpu:nave"}, "`cpu:naive`"},
      {{"verify", "--against", "cpu:bitwse"}, "`cpu:bitwise`"},
      {{"verify", "--fault", "drop-blok"}, "`drop-block`"},
      {{"list", "layuts"}, "`layouts`"},
      {{"list"}, "`schedules`"},
      {{"show"}, "`layout`"},
      {{"show", "layot", small}, "`layout`"},
      {{"prove", small, "--jsn"}, "`--json`"},
      {{"explain", "b1 | zigzg"}, "`zigzag`"},
  };
  for (const auto& [arguments, nearest] : wrong) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(nearest)) << arguments[0];
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Program, IncompleteAndMeaninglessFlagsAreRefused) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"verify", "--suite"},
                                                                     {"verify", "--random", "many"},
                                                                     {"verify", "--random", "0"},
                                                                     {"verify", "--random", "3", "--seed", "-1"},
                                                                     {"verify", small, "--seed", "1"},
                                                                     {"verify", small, "--bitwise"},
                                                                     {"verify", small, "--jobs", "0"},
                                                                     {"verify", small, "--deadline", "soon"},
                                                                     {"verify", "--filter", "no-such-word"},
                                                                     {"verify", "--file", "/no/such/file"},
                                                                     {"verify", "--schedule", "/no/such/file"},
                                                                     {"prove"},
                                                                     {"prove", small, "--schedule", "x"}}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 2) << arguments.back();
    EXPECT_NE(ran.err, "");
    EXPECT_EQ(ran.out, "");
  }
}

TEST(Program, AFailureIsReportedWithALineThatRepeatsIt) {
  const std::string line = small + " fault=drop-block@r1,t1";
  const Ran ran = run({"verify", line});
  EXPECT_THAT(ran.out, AllOf(HasSubstr("failed"), HasSubstr("rank 1, step 1, KV block 0"),
                             HasSubstr("repeat: ringscope verify \"" + line + "\"")));
}

TEST(Program, ACaseFileSkipsCommentsAndNamesBadLines) {
  const TemporaryFile file("cases.txt", "# two cases\n\n" + small + "  # a small one\r\n  b1 zigzg  \n");
  const Ran ran = run({"verify", "--file", file.path(), "--json"});
  EXPECT_EQ(ran.code, 2);
  const auto lines = json_lines(ran.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["verdict"], "passed");
  EXPECT_EQ(lines[1]["verdict"], "invalid");
  EXPECT_THAT(lines[1]["reason"].get<std::string>(), HasSubstr("line 4"));
}

TEST(Program, AHashInsideAWordIsNoComment) {
  const TemporaryFile file("hash.txt", "b1 | custom=/no/such/file#0123456789abcdef ring r2 #why\n");
  const auto lines = json_lines(run({"verify", "--file", file.path(), "--json"}).out);
  EXPECT_THAT(lines[0]["case"].get<std::string>(), AllOf(HasSubstr("#0123456789abcdef"), Not(HasSubstr("why"))));
}

TEST(Program, ManyFailuresAreToldInOneLineEachAfterTheFirstFew) {
  const std::vector<std::string> words{"verify", "--random", "24", "--seed", "2", "--fault", "scale-twice"};
  const Ran ran = run(words);
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("more did not pass, told in one line each; all of each is in --json"));
  std::vector<std::string> with_json = words;
  with_json.push_back("--json");
  std::int64_t failed = 0, lines = 0, reports = 0;
  for (const auto& line : json_lines(run(with_json).out)) failed += line.value("verdict", "") == "failed" ? 1 : 0;
  std::istringstream text(ran.out);
  for (std::string line; std::getline(text, line);) {
    lines += line.starts_with("failed") ? 1 : 0;
    reports += line.starts_with("  repeat: ") ? 1 : 0;
  }
  EXPECT_EQ(lines, failed);
  EXPECT_GT(failed, reports);
  EXPECT_THAT(run({"verify", "--random", "24", "--seed", "2", "--fault", "strict-causal"}).out,
              HasSubstr(" skipped: fault does not apply: this case has no such place\n"));
  EXPECT_LT(reports, 12);
}

TEST(Program, AReportIsOnePageOfVerdictsAndFailures) {
  const std::string path = testing::TempDir() + "verify_report.html";
  const std::string line = "b1 h2 s16 d8 f32 causal | zigzag ring r2 | cpu:naive | random fault=strict-causal";
  EXPECT_EQ(run({"verify", small, line, "| bad", "--report", path}).code, 1);
  const std::string page = read_text_file(path);
  for (const char* words : {"1 passed, 2 did not", "failed: b1 h2 s16", "invalid: | bad",
                            "repeat: ", "Errors against the oracle", "by check"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_EQ(run({"verify", small, "--report", "/dev/full"}).code, 2);
  std::filesystem::remove(path);
}

TEST(Program, FiltersKeepCasesWithAllTheWords) {
  const auto lines = json_lines(run({"verify", "--suite", "smoke", "--filter", "ring causal", "--json"}).out);
  ASSERT_GE(lines.size(), 2u);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_THAT(lines[i]["case"].get<std::string>(), AllOf(HasSubstr(" ring "), HasSubstr("causal")));
  }
}

TEST(Program, ResultsComeInOrderWithAnyNumberOfJobs) {
  const auto cases_with = [](const char* jobs) {
    std::vector<std::string> cases;
    for (const auto& line :
         json_lines(run({"verify", "--random", "20", "--seed", "5", "--jobs", jobs, "--json"}).out)) {
      if (line.contains("case")) cases.push_back(line["case"]);
    }
    return cases;
  };
  const auto one = cases_with("1");
  EXPECT_EQ(one.size(), 20u);
  EXPECT_EQ(one, cases_with("4"));
}

TEST(Program, AgainstTellsDistancesAndBitwiseWantsTheSameBits) {
  const std::string line = "b1 h2 s32 d16 | ring r2 | cpu:eigen";
  const auto lines = json_lines(run({"verify", line, "--against", "cpu:bitwise", "--json"}).out);
  EXPECT_TRUE(lines[0]["against"].contains("same_bits"));
  EXPECT_EQ(lines[0]["against"]["backend"], "cpu:bitwise");
  EXPECT_EQ(run({"verify", line, "--backend", "cpu:naive", "--against", "cpu:bitwise", "--bitwise"}).code, 0);
}

TEST(Program, ProveTellsWhetherAPlanHolds) {
  const Ran ran = run({"prove", small, "--json"});
  EXPECT_EQ(ran.code, 0);
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["proved"], true);
  EXPECT_EQ(json["violations"].size(), 0u);
}

TEST(Program, APersonsOwnScheduleIsProvedAndVerified) {
  const Case c = parse_case(small);
  const std::string text = schedule_text(make_plan(c.problem, c.recipe));
  const TemporaryFile good("good.schedule", text);
  EXPECT_EQ(run({"prove", "--schedule", good.path()}).code, 0);
  EXPECT_EQ(run({"verify", "--schedule", good.path()}).code, 0);

  const std::size_t attend = text.find("attend");
  ASSERT_NE(attend, std::string::npos);
  std::string without = text;
  const std::size_t line_begin = text.rfind('\n', attend) + 1;
  without.erase(line_begin, text.find('\n', attend) + 1 - line_begin);
  const TemporaryFile wrong("wrong.schedule", without);
  EXPECT_EQ(run({"prove", "--schedule", wrong.path()}).code, 1);
  EXPECT_EQ(run({"verify", "--schedule", wrong.path()}).code, 1);

  const TemporaryFile malformed("malformed.schedule", text.substr(0, attend) + "atend" + text.substr(attend + 6));
  const Ran ran = run({"prove", "--schedule", malformed.path()});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("malformed.schedule"), HasSubstr("line"), HasSubstr("column")));
}

TEST(Program, AFaultInAPersonsOwnScheduleIsNamedAndRepeated) {
  const Case c = parse_case(small);
  const TemporaryFile file("own.schedule", schedule_text(make_plan(c.problem, c.recipe)));
  const Ran ran = run({"verify", "--schedule", file.path(), "--fault", "drop-block", "--backend", "cpu:naive"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr(file.path() + " | cpu:naive | random seed=0 fault=drop-block\n"));
  EXPECT_THAT(ran.out, HasSubstr("repeat: ringscope verify --schedule \"" + file.path() +
                                 "\" --seed 0 --backend \"cpu:naive\" --fault drop-block\n"));
}

TEST(Program, ExplainSaysTheCanonicalLineItsDefaultsAndWhatWillHappen) {
  const Ran ran = run({"explain", "causal | zigzag ring r4"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("b1 h4 s64 d16 f32 causal | zigzag ring r4 | cpu | random seed=0"),
                             HasSubstr("scale=0.25: 1/sqrt(Dqk)"), HasSubstr("proved before it is run")));
  EXPECT_NO_THROW(nlohmann::json::parse(run({"explain", "b1", "--json"}).out));
}

TEST(Program, ExplainSaysNothingOfACaseThatCannotBe) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"explain", "b1 | custom=/no/such/file ring r2"},
        {"explain", "b1 | custom=/no/such/file ring r2", "--json"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("/no/such/file"));
  }
}

TEST(Program, ProveRefusesAPlanWithAPlantedFault) {
  EXPECT_EQ(run({"prove", small + " fault=drop-block"}).code, 1);
  const Ran numeric = run({"prove", small + " fault=strict-causal"});
  EXPECT_EQ(numeric.code, 0);
  EXPECT_THAT(numeric.out, HasSubstr("strict-causal leaves the plan right"));
}

TEST(Program, ListsSayOneSentenceEach) {
  for (const char* subject : {"layouts", "schedules", "masks", "terms", "backends", "faults", "suites"}) {
    const auto json = nlohmann::json::parse(run({"list", subject, "--json"}).out);
    ASSERT_GE(json.size(), 3u) << subject;
    for (const auto& item : json) {
      EXPECT_EQ(item.size(), 2u);
      EXPECT_FALSE(item["name"].get<std::string>().empty());
      EXPECT_FALSE(item["sentence"].get<std::string>().empty());
    }
    EXPECT_EQ(run({"list", subject}).code, 0);
  }
}

TEST(Program, CompletionKnowsEveryCommandAndFlag) {
  const Ran ran = run({"completion", "bash"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("complete -F _ringscope ringscope"), HasSubstr("--against"), HasSubstr("faults"),
                             HasSubstr("zigzag")));
}

TEST(Program, NothingIsColouredWhenPiped) {
  const Ran ran = run({"verify", small + " fault=drop-block"});
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("\x1b[")));
}

}  // namespace
}  // namespace ringscope
