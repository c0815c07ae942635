#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/case.h"
#include "core/fill.h"
#include "core/oracle.h"
#include "formats/export.h"
#include "formats/tensor_file.h"
#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string dump(const std::string& file) {
  return std::string(RINGSCOPE_SOURCE_DIR) + "/tests/data/dumps/" + file + ".safetensors";
}

std::vector<std::string> shards(const std::string& name, int ranks) {
  std::vector<std::string> files;
  for (int r = 0; r < ranks; ++r)
    files.push_back(dump(name + ".rank" + std::to_string(r) + "of" + std::to_string(ranks)));
  return files;
}

TEST(Check, ARightDumpPasses) {
  const Ran ran = run({"check", dump("torch_flash_zero_qk")});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("passed"), HasSubstr("causal"), HasSubstr("q or k is 0 everywhere")));
  EXPECT_THAT(run({"check", dump("torch_flash_constant_v")}).out, HasSubstr("v is the same in all rows"));
}

TEST(Check, AWrongDumpIsPlacedAndDiagnosed) {
  std::vector<std::string> arguments = shards("ring_block_missing", 4);
  arguments.insert(arguments.begin(), "check");
  arguments.emplace_back("--json");
  const Ran ran = run(arguments);
  EXPECT_EQ(ran.code, 1);
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json.at("verdict"), "failed");
  const nlohmann::json place = {{"output", "o"}, {"batch", 0},     {"head", 0},    {"row", 40},
                                {"rank", 2},     {"local_row", 0}, {"kv_block", 1}};
  EXPECT_EQ(json.at("first_wrong"), place);
  EXPECT_EQ(json.at("diagnosis").at("name"), "ring_block_missing");
  EXPECT_EQ(json.at("outputs").at("dv").at("verdict"), "failed");
  EXPECT_EQ(json.at("outputs").at("dv").at("nonfinite"), 0);
}

TEST(Check, TheJsonOfARightDumpHasNoPlaceAndNoDiagnosis) {
  const auto json = nlohmann::json::parse(run({"check", dump("torch_math_window"), "--json"}).out);
  EXPECT_EQ(json.at("verdict"), "passed");
  EXPECT_TRUE(json.at("first_wrong").is_null());
  EXPECT_TRUE(json.at("diagnosis").is_null());
  EXPECT_LT(json.at("outputs").at("o").at("ratio"), 3);
}

TEST(Check, NumbersOfANarrowerTypeAreToldFromWrongOnes) {
  const Case c = parse_case("b1 h4/2 s40 d16 bf16 causal | zigzag ring r2");
  const Inputs inputs = make_inputs(c.problem, Fill::random, 5);
  Outputs outputs = oracle<double>(c.problem, inputs);
  const std::string path = testing::TempDir() + "stored_wider.safetensors";
  for (const bool right : {true, false}) {
    if (!right) outputs.o.row(0, 0, 20)[3] += 0.5;
    std::vector<TensorToWrite> tensors = whole_tensors(c.problem, inputs, outputs);
    for (TensorToWrite& t : tensors) {
      for (double& x : t.values) x = round_to(t.type, x);
      t.type = ElementType::f32;
    }
    write_safetensors(path, tensors, {{"mask", "causal"}});
    const Ran ran = run({"check", path});
    EXPECT_EQ(ran.code, 1);
    const bool told = ran.out.find("all numbers are those of bf16 stored as f32") != std::string::npos;
    EXPECT_EQ(told, right) << ran.out;
  }
  std::filesystem::remove(path);
}

TEST(Check, AFailureWithoutASharpRowHasNoFirstWrong) {
  const auto json = nlohmann::json::parse(run({"check", dump("fault_partials_bf16"), "--json"}).out);
  EXPECT_EQ(json.at("verdict"), "failed");
  EXPECT_TRUE(json.at("first_wrong").is_null());
  EXPECT_EQ(json.at("outputs").at("o").at("place").at("row"), 14);
}

TEST(Check, WhatWasNotSaidIsFoundByProbingAndTheVerdictStands) {
  Ran ran = run({"check", dump("torch_flash_gqa_bare")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("say --mask causal"));
  EXPECT_EQ(run({"check", dump("torch_flash_gqa_bare"), "--mask", "causal"}).code, 0);

  ran = run({"check", dump("ring_zigzag_joined")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("say --mask causal --layout \"zigzag 4\""));
  EXPECT_EQ(run({"check", dump("ring_zigzag_joined"), "--mask", "causal", "--layout", "zigzag 4"}).code, 0);

  ran = run({"check", dump("minilm_layer5"), "--axes", "BHSD"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("looks like BSHD: if so, say --axes BSHD"));

  ran = run({"check", dump("torch_flash_lse_base_2"), "--lse-base", "e"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("1.4427 x"));
  EXPECT_THAT(ran.out, HasSubstr("--lse-base 2"));
}

TEST(Check, NoHintIsGivenWhereTheDescriptionIsNotAtFault) {
  EXPECT_THAT(run({"check", dump("fault_one_row")}).out, Not(HasSubstr("if so, say")));
}

// What `ringscope check` says of a run that is described by these metadata alone.
nlohmann::json told_of(const char* line, const std::map<std::string, std::string>& metadata, double spoil = 0) {
  const std::string path = testing::TempDir() + "check_unsaid.safetensors";
  const Case c = parse_case(line);
  const Inputs inputs = make_inputs(c.problem, Fill::random, 5);
  Outputs outputs = oracle<double>(c.problem, inputs);
  for (std::size_t n = 0; n < outputs.o.values.size(); n += 3) outputs.o.values[n] += spoil;
  write_safetensors(path, whole_tensors(c.problem, inputs, outputs), metadata);
  const auto json = nlohmann::json::parse(run({"check", path, "--json"}).out);
  std::filesystem::remove(path);
  return json;
}

TEST(Check, WordsThatNobodySaidAreFoundTogether) {
  const std::map<std::string, std::string> nothing, causal{{"mask", "causal"}}, scale{{"scale", "0.25"}};
  for (const auto& [line, said, flags] :
       {std::tuple("h2 s64 d16 causal window=12,0 softcap=3", nothing, "--mask \"window 12 0\" --softcap 3"),
        {"h2 s64 d16 causal window=12,0 softcap=3", causal, "--mask \"causal window 12 0\" --softcap 3"},
        {"h4/2 s64 d16 window=9,9 softcap=20 bf16 fwd", scale, "--mask \"window 9 9\" --softcap 20"},
        {"h2 s40x64 d16 causal softcap=2", nothing, "--mask \"causal bottom-right\" --softcap 2"},
        {"h2 s32 d16 prefix=9 scale=1", nothing, "--mask \"prefix 9\" --scale 1"},
        {"h2 s32 d16 causal softcap=2 scale=1", nothing, "--mask causal --softcap 2 --scale 1"}}) {
    const auto json = told_of(line, said);
    EXPECT_EQ(json.at("verdict"), "failed") << line;
    ASSERT_FALSE(json.at("hints").empty()) << line;
    EXPECT_THAT(json.at("hints")[0].get<std::string>(), HasSubstr(flags)) << line;
  }
  EXPECT_TRUE(told_of("h2 s64 d16 causal window=12,0 softcap=3", nothing, 0.02).at("hints").empty());
}

TEST(Check, EmptyRowsAreJudgedByTheDeclaredConvention) {
  const std::string file =
      std::string(RINGSCOPE_SOURCE_DIR) + "/tests/data/dumps/torch_flash_empty_row_lse_0.npz";  // lse 0 in such rows
  EXPECT_EQ(run({"check", file}).code, 1);
  EXPECT_EQ(run({"check", file, "--empty-lse", "0"}).code, 0);
  EXPECT_EQ(run({"check", file, "--empty-lse", "0", "--empty-o", "1"}).code, 1);
  EXPECT_EQ(run({"check", dump("torch_math_documents_empty_rows"), "--empty-lse", "-inf", "--empty-o", "0"}).code, 0);
}

TEST(Check, TheCaseLinesMeaningIsAskedForWithProblem) {
  EXPECT_EQ(run({"check", dump("torch_math_cross_bottom_right"), "--problem", "causal"}).code, 0);
  EXPECT_EQ(run({"check", dump("torch_math_cross_bottom_right"), "--mask", "causal"}).code, 1);
  EXPECT_EQ(run({"check", dump("torch_math_window"), "--problem", "window=24,0"}).code, 0);
  const Ran both = run({"check", dump("torch_math_window"), "--problem", "causal", "--mask", "causal"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("one of the two"));
}

TEST(Check, BadFilesAndFlagsExitWithTwo) {
  EXPECT_EQ(run({"check", "no/such/file"}).code, 2);
  EXPECT_EQ(run({"check"}).code, 2);
  const Ran ran = run({"check", dump("torch_math_window"), "--msk", "causal"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("`--mask`"));
  EXPECT_EQ(run({"check", dump("torch_math_window"), "--empty-lse", "nothing"}).code, 2);
  for (const char* flag : {"--mask", "--scale", "--empty-o", "--problem", "--report"}) {
    const Ran empty = run({"check", dump("torch_math_window"), flag, ""});
    EXPECT_EQ(empty.code, 2) << flag;
    EXPECT_THAT(empty.err, HasSubstr(std::string(flag) + " with an empty value"));
  }
  EXPECT_EQ(run({"check", dump("torch_math_window"), "--scale", "half"}).code, 2);
}

TEST(Check, ExportsOfEveryTermAreRightAndAFaultIsPlaced) {
  const std::string file = testing::TempDir() + "check_export.safetensors";
  for (const char* line :
       {"b2 h4/2 s60 d16 causal sink-logit alibi | zigzag ring r4", "h2 s48 d16 bf16 rope=10000 window=8,0 sinks=2",
        "b2 h4 s40x56 d16/8 f16 causal dropout=0.2 softcap=5 | contiguous bidi r2", "h4 s32 d16 f64 docs=0,10,32",
        "h2 s32 d16 e4m3 causal", "h2 s30 d16 docs=3,10,20 | | | poison"}) {
    ASSERT_EQ(run({"export", line, file}).code, 0) << line;
    const Ran ran = run({"check", file});
    EXPECT_EQ(ran.code, 0) << line << "\n" << ran.out << ran.err;
  }
  ASSERT_EQ(
      run({"export", "h2 s64 d16 causal | zigzag ring r4 | cpu:naive | random fault=drop-block@r2,t1", file}).code, 0);
  const auto json = nlohmann::json::parse(run({"check", file, "--json"}).out);
  EXPECT_EQ(json.at("first_wrong").at("rank"), 2);
  EXPECT_EQ(json.at("first_wrong").at("kv_block"), 1);
  std::filesystem::remove(file);
}

TEST(Check, AFlagThatCannotMatterIsNotedAndNonsenseRefused) {
  const std::string no_lse = dump("minilm_layer5");
  for (const char* base : {"10", "0", "1", "-2", "nan", "E", "2.718"}) {
    for (const std::string& file : {no_lse, dump("torch_flash_zero_qk")}) {
      const Ran ran = run({"check", file, "--lse-base", base});
      EXPECT_EQ(ran.code, 2) << base;
      EXPECT_THAT(ran.err, HasSubstr("want `e` or `2`")) << base;
    }
  }
  const Ran ran = run({"check", no_lse, "--lse-base", "2", "--lse-axes", "BSH", "--empty-o", "1", "--empty-lse", "0",
                       "--softcap", "0", "--kv-lengths", "109"});
  EXPECT_EQ(ran.code, 0);
  for (const char* note :
       {"--lse-base changes nothing: no lse is given", "--lse-axes changes nothing: no lse is given",
        "--empty-o changes nothing: every row sees a key", "--empty-lse changes nothing: no lse is given",
        "--softcap changes nothing: 0 means none", "--kv-lengths changes nothing: all keys are within them"}) {
    EXPECT_THAT(ran.out, HasSubstr(note));
  }
  EXPECT_THAT(run({"check", dump("torch_flash_lse_base_2"), "--lse-base", "2"}).out, Not(HasSubstr("changes nothing")));
}

TEST(Check, APassThatSaysNothingIsMistrusted) {
  const std::string file = testing::TempDir() + "check_nothing.safetensors";
  ASSERT_EQ(run({"export", "b2 s16 d8 kv-lens=0,0 | contiguous ring r2", file}).code, 0);
  const Ran ran = run({"check", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("mistrusted"), HasSubstr("no query may see any key")));
  const auto json = nlohmann::json::parse(run({"check", file, "--json"}).out);
  EXPECT_EQ(json.at("verdict"), "mistrusted");
  EXPECT_THAT(json.at("reason").get<std::string>(), HasSubstr("no query may see any key"));
  EXPECT_TRUE(json.at("first_wrong").is_null());
  std::filesystem::remove(file);
}

std::string page_of(const std::string& file, const std::string& page) {
  run({"check", file, "--report", page});
  std::ifstream in(page);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Check, StepsInTheFileSayWhereItFirstGoesWrong) {
  const std::string file = testing::TempDir() + "check_steps.safetensors", page = testing::TempDir() + "steps.html";
  const std::string c = "b2 h6/2 s29 d8/6 causal scale=0.3 | zigzag ring r4 | cpu:bitwise | random";
  ASSERT_EQ(run({"export", c, file, "--steps"}).code, 0);
  auto json = nlohmann::json::parse(run({"check", file, "--json"}).out);
  EXPECT_TRUE(json.at("first_step").is_null());
  EXPECT_THAT(page_of(file, page), AllOf(HasSubstr("Rank by step"), HasSubstr("No step differs")));

  for (const auto& [fault, rank, step] :
       {std::tuple("drop-block@r2,t1", 2, 1), {"drop-block@r1,t5", 1, 5}, {"scale-missing@r3,t2", 3, 2}}) {
    ASSERT_EQ(run({"export", c + " fault=" + fault, file, "--steps"}).code, 0);
    json = nlohmann::json::parse(run({"check", file, "--json"}).out);
    EXPECT_EQ(json.at("verdict"), "failed");
    EXPECT_EQ(json.at("first_step").at("rank"), rank) << fault;
    EXPECT_EQ(json.at("first_step").at("step"), step) << fault;
  }
  EXPECT_THAT(page_of(file, page), HasSubstr("o: first wrong at rank 3, step 2"));
  EXPECT_THAT(run({"check", file}).out, HasSubstr("first wrong step: 2, on rank 3: t2.r3."));
  std::filesystem::remove(file), std::filesystem::remove(page);
}

TEST(Check, RightStepsOfEveryTypeAndScheduleDoNotDiffer) {
  const std::string file = testing::TempDir() + "check_right_steps.safetensors";
  for (const char* line :
       {"h4/2 s30 d16 bf16 causal | zigzag ring r3", "h4 s24 d16 e4m3 | contiguous usp r2x2",
        "h4 s24 d16 f16 window=8,0 sinks=2 | striped pass-q r3", "h2 s24 d16 f64 rope=10000 | zigzag bidi r3",
        "h2 s24 d16 causal | contiguous ring r3 | | needle", "h2 s24 d16 causal | contiguous ring r3 | | overflow",
        "h4 s24 d16 causal sink-logit dropout=0.2 | zigzag double-ring r2x2"}) {
    ASSERT_EQ(run({"export", line, file, "--steps"}).code, 0) << line;
    const auto json = nlohmann::json::parse(run({"check", file, "--json"}).out);
    EXPECT_EQ(json.at("verdict"), "passed") << line;
    EXPECT_TRUE(json.at("first_step").is_null()) << line << json.at("first_step");
    EXPECT_THAT(json.at("notes").dump(), Not(HasSubstr("not followed"))) << line;
  }
  std::filesystem::remove(file);
}

TEST(Check, TheReportIsOnePageWithEveryOutput) {
  const std::string page = testing::TempDir() + "check_report.html";
  std::vector<std::string> arguments = shards("ring_block_twice", 4);
  arguments.insert(arguments.begin(), "check");
  arguments.insert(arguments.end(), {"--report", page});
  EXPECT_EQ(run(arguments).code, 1);
  std::ifstream in(page);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_THAT(text, AllOf(HasSubstr("<html"), HasSubstr("first wrong: o[batch 0, head 0, row 60]"),
                          HasSubstr("dv by rank"), Not(HasSubstr("<script"))));
  EXPECT_THAT(text, HasSubstr("o and lse: first wrong at rank 1, KV rank 3: taken 2.00 times"));
  std::filesystem::remove(page);
}

}  // namespace
}  // namespace ringscope
