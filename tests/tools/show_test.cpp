#include "tools/show.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/run_program.h"
#include "tools/show_subjects.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Ran show(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "show");
  return run(std::move(arguments));
}

std::vector<std::string> arguments_of(const ShowSubject& subject, const std::string& line) {
  std::vector<std::string> out{std::string(subject.name)};
  if (subject.takes_pair) out.push_back("10,4");
  out.push_back(line);
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::string small = "b1 h4/2 s24 d8 causal | zigzag ring r3";

TEST(Show, EverySubjectBeginsWithTheCaseAndFits80Columns) {
  for (const ShowSubject& subject : show_subjects()) {
    const Ran ran = show(arguments_of(subject, small));
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("b1 h4/2 s24 d8 f32 causal | zigzag ring r3")) << subject.name;
    EXPECT_THAT(ran.out, Not(HasSubstr("\x1b"))) << "colour in a pipe";
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), sheet_columns) << line;
  }
}

TEST(Show, JsonIsOneObjectAloneOnStdout) {
  for (const ShowSubject& subject : show_subjects()) {
    std::vector<std::string> arguments = arguments_of(subject, small);
    arguments.push_back("--json");
    const Ran ran = show(arguments);
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(nlohmann::json::parse(ran.out)["case"],
              "b1 h4/2 s24 d8 f32 causal | zigzag ring r3 | cpu | random seed=0");
  }
}

TEST(Show, CountsOfAHomeRingAreTheClosedForms) {
  const nlohmann::json json = nlohmann::json::parse(show({"counts", "causal | zigzag ring r8", "--json"}).out);
  const int hops = json["forward"]["transfers"]["total"], back = json["backward"]["transfers"]["total"];
  EXPECT_EQ(hops + back, 8 * (3 * 8 - 3));
  EXPECT_EQ(json["forward"]["balance"], 1.0);
  EXPECT_EQ(json["forward"]["lockstep_efficiency"], 1.0);
}

TEST(Show, AllIsOnePage) {
  const std::string path = testing::TempDir() + "/ringscope_page.html";
  const Ran ran = show({"all", small, "--html", path});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  const std::string page = text_of(path);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* heading : {"Layout", "Mask", "Schedule", "Ring", "Balance", "Counts", "Timeline", "Error"}) {
    EXPECT_THAT(page, HasSubstr(std::string("<h2>") + heading + "</h2>"));
  }
  std::filesystem::remove(path);
}

TEST(Show, APlantedFaultIsInThePicture) {
  const std::string faulty = "causal | contiguous ring r4 | cpu | random fault=drop-block@r2,t1";
  const Ran errors = show({"error", faulty, "--json"});
  EXPECT_EQ(errors.code, 0) << errors.err;
  const nlohmann::json heads = nlohmann::json::parse(errors.out)["o"]["ratios"];
  for (const nlohmann::json& rows : heads) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_EQ(rows[row].get<double>() > 1, row >= 32 && row < 48) << "rank 2 owns rows 32 to 47";
    }
  }
}

TEST(Show, CountsOfADamagedPlanAreShownWithWhatTheProofSays) {
  const std::string faulty = "causal | contiguous ring r4 | cpu | random fault=drop-block@r2,t1";
  for (const char* subject : {"counts", "balance"}) {
    const Ran ran = show({subject, faulty});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("with the planted fault drop-block, which the proof refuses:"));
    EXPECT_THAT(show({subject, "causal | contiguous ring r4"}).out, Not(HasSubstr("planted")));
  }
  const auto damaged = nlohmann::json::parse(show({"counts", faulty, "--json"}).out);
  const auto right = nlohmann::json::parse(show({"counts", "causal | contiguous ring r4", "--json"}).out);
  EXPECT_THAT(damaged["refused"].get<std::string>(), HasSubstr("refuses"));
  EXPECT_FALSE(right.contains("refused"));
  EXPECT_EQ(damaged["forward"]["pairs"][2][1], 0);
  EXPECT_GT(right["forward"]["pairs"][2][1], 0);
}

TEST(Show, AStepBeyondTheScheduleIsRefusedWithTheRange) {
  for (const char* subject : {"mask", "ring"}) {
    const Ran ran = show({subject, small, "--step", "7"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("a step from 0 to 6 of this schedule"));
    EXPECT_EQ(show({subject, small, "--step", "6"}).code, 0);
  }
}

TEST(Show, AStepOfTheBackwardStandsOutInTheMaskToo) {
  const auto tiles = nlohmann::json::parse(show({"mask", small, "--step", "4", "--json"}).out)["tiles"];
  int at_step = 0;
  for (const auto& row : tiles) {
    for (const auto& tile : row) at_step += tile["step"] == 4 ? 1 : 0;
  }
  EXPECT_GT(at_step, 0);
}

TEST(Show, TheCaseLineIsPrintedOnce) {
  const std::string out = show({"balance", small}).out;
  const std::string line = "b1 h4/2 s24 d8 f32 causal";
  EXPECT_EQ(out.find(line), out.rfind(line));
}

TEST(Show, RefusesWhatCannotBe) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"layout"},
                                             {"layuot", small},
                                             {"layout", "b1", "h4"},
                                             {"mask", small, "--head", "4"},
                                             {"mask", small, "--batch", "1"},
                                             {"ring", small, "--step", "99"},
                                             {"ring", small, "--step", "x"},
                                             {"pair", "3", small},
                                             {"pair", "3,99", small},
                                             {"layout", small, "--step", "1"},
                                             {"layout", small, "--svg", "/nowhere/x.svg"},
                                             {"all", small, "--svg", "x.svg"}}) {
    const Ran ran = show(wrong);
    EXPECT_EQ(ran.code, 2) << wrong.front();
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr("ringscope: got "));
  }
}

TEST(Show, ThePicturesOfTheReadmeAreThoseOfTheProgram) {
  const std::string line = "b1 h8/2 s512 d64 bf16 causal | zigzag ring r8";
  for (const char* subject : {"ring", "mask", "balance"}) {
    const std::string path = testing::TempDir() + "/ringscope_" + subject + ".svg";
    std::vector<std::string> arguments{subject, line, "--svg", path};
    if (std::string(subject) == "ring") arguments.insert(arguments.end(), {"--step", "1"});
    ASSERT_EQ(show(arguments).code, 0);
    const std::filesystem::path images = std::filesystem::path(RINGSCOPE_SOURCE_DIR) / "docs" / "images";
    EXPECT_TRUE(text_of(path) == text_of(images / (std::string(subject) + ".svg")))
        << "make docs/images/" << subject << ".svg again: docs/images/README.md";
    std::filesystem::remove(path);
  }
}

TEST(Show, ErrorsOfAFaultBeginAtItsRankAndStep) {
  const std::string line = "h2 s24 d8 causal | zigzag ring r3 | cpu | random fault=drop-block@r2,t1";
  EXPECT_THAT(run({"show", "error", line}).out, testing::HasSubstr("o: first wrong at rank 2, step 1"));
  const auto json = nlohmann::json::parse(run({"show", "error", line, "--json"}).out);
  const auto& ratios = json.at("steps").at("o").at("ratios");
  EXPECT_GT(ratios[2][1], 1);
  EXPECT_LT(ratios[2][0], 1);
  EXPECT_LT(ratios[1][2], 1);
}

}  // namespace
}  // namespace ringscope
