#include <gmock/gmock.h>

#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/recipe.h"
#include "formats/dump.h"
#include "formats/dump_set.h"
#include "formats/tensor_file.h"
#include "tests/tools/run_program.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Export : public testing::Test {
 protected:
  Export() : folder_(std::filesystem::path(testing::TempDir()) / ("export." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Export() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& c, const std::string& name, std::vector<std::string> flags = {}) const {
    std::vector<std::string> words{"export", c, path(name)};
    words.insert(words.end(), flags.begin(), flags.end());
    const Ran ran = run(words);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  nlohmann::json compared(const std::string& reference, const std::string& mine, int code) const {
    const Ran ran = run({"compare", path(reference), path(mine), "--json"});
    EXPECT_EQ(ran.code, code) << ran.err;
    return nlohmann::json::parse(ran.out);
  }

 private:
  std::filesystem::path folder_;
};

const std::string ring = "b2 h6/2 s29 d8/6 f32 causal scale=0.3 | zigzag ring r4 | cpu:bitwise";

TEST_F(Export, TheSameRunHasTheSameValues) {
  write(ring, "a.safetensors", {"--steps"});
  write(ring, "b.safetensors", {"--steps"});
  const auto json = compared("a.safetensors", "b.safetensors", 0);
  for (const auto& t : json["tensors"]) {
    EXPECT_EQ(t["unlike"], 0) << t;
    EXPECT_TRUE(t["row"].is_null()) << t << ": nowhere is null, as in verify --json";
  }
  EXPECT_GT(json["tensors"].size(), 40u);
}

TEST_F(Export, CompareNamesRankAndStepOfADroppedBlock) {
  write(ring, "clean.safetensors", {"--steps"});
  for (const int step : {1, 2}) {
    const std::string place = "@r2,t" + std::to_string(step);
    write(ring + " | random fault=drop-block" + place, "faulty.safetensors", {"--steps"});
    const auto first = compared("clean.safetensors", "faulty.safetensors", 1)["first"];
    EXPECT_EQ(first["rank"], 2);
    EXPECT_EQ(first["step"], step);
    EXPECT_THAT(std::string(first["tensor"]), HasSubstr("t" + std::to_string(step) + ".r2."));
  }
}

TEST_F(Export, ComparesReportMapsRanksBySteps) {
  write(ring, "clean.safetensors", {"--steps"});
  write(ring + " | random fault=drop-block@r2,t1", "faulty.safetensors", {"--steps"});
  EXPECT_EQ(run({"compare", path("clean.safetensors"), path("faulty.safetensors"), "--report", path("page.html")}).code,
            1);
  std::ifstream in(path("page.html"));
  const std::string page{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_THAT(page, HasSubstr("o: first wrong at rank 2, step 1"));
  EXPECT_THAT(page, HasSubstr("lse: first wrong at rank 2, step 1"));
}

TEST_F(Export, CompareNamesTheKvBlockOfADroppedBackwardAttend) {
  write(ring, "clean.safetensors", {"--steps"});
  write(ring + " | random fault=drop-block@r2,t5", "faulty.safetensors", {"--steps"});
  const auto json = compared("clean.safetensors", "faulty.safetensors", 1);
  EXPECT_EQ(json["first"]["rank"], 2);
  EXPECT_EQ(json["first"]["step"], 5);
}

TEST_F(Export, ShardsHoldTheSameTensorsAsOneFile) {
  int run_number = 0;
  for (const char* recipe : {"zigzag bidi r4", "striped=3 ring r5", "contiguous ring r3", "zigzag ulysses r2"}) {
    const std::string c = std::string("b1 h6/2 s23 d8/6 f32 causal | ") + recipe;
    const std::string shards = "shards" + std::to_string(run_number++) + ".safetensors";
    write(c, "whole.safetensors", {"--steps"});
    write(c, shards, {"--steps", "--shards"});
    EXPECT_GT(files_of_dump(path(shards)).size(), 1u);
    const auto json = compared("whole.safetensors", shards, 0);
    EXPECT_TRUE(json["notes"].empty()) << json["notes"];
    for (const auto& t : json["tensors"]) EXPECT_EQ(t["unlike"], 0) << recipe << t;
  }
}

// Ranks without query or key rows, too: check and compare read what export writes.
TEST_F(Export, ShardsOfEveryScheduleAreReadAgain) {
  const std::array<const char*, 4> problems{"h4/2 s13 d4 causal", "h4 s3 d4", "h4 s1x9 d4 f16",
                                            "h4 s9x2 d4 offset=0 bf16"};
  const std::array<const char*, 3> layouts{"contiguous", "zigzag", "striped"};
  std::size_t turn = 0;  // each schedule meets every problem, and over the schedules each in every layout
  for (const ScheduleKind& kind : schedule_kinds()) {
    const std::string recipe =
        std::string(kind.name) + (kind.needs_grid ? " r2x2" : " r4") + (kind.can_copy_kv ? " kv-copies" : "");
    for (const char* problem : problems) {
      const std::string c = std::string(problem) + " | " + layouts[turn++ % layouts.size()] + " " + recipe;
      write(c, "whole.safetensors", {"--steps"});
      write(c, "shards.safetensors", {"--steps", "--shards"});
      const Ran ran = run({"check", path("shards.safetensors")});
      EXPECT_EQ(ran.code, 0) << c << ran.out << ran.err;
      const auto json = compared("whole.safetensors", "shards.safetensors", 0);
      for (const auto& t : json["tensors"]) EXPECT_EQ(t["unlike"], 0) << c << t;
    }
  }
}

// Read as BSHD the first head of an MQA dump has one key, and what sees one key alone is right whatever the mask.
TEST_F(Export, ARightFirstGroupOfAnotherReadingIsNoHint) {
  write("b1 h8/1 s24 d8 f32 causal fwd | ring r1", "mqa.safetensors");
  const Ran ran = run({"check", path("mqa.safetensors"), "--mask", "window 5 0"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, Not(HasSubstr("BSHD")));
}

TEST_F(Export, AMistakeOfTheForwardIsNamedBesideItsGradients) {
  const std::map<std::string, std::string> faults{{"drop-block@r2,t1", "ring_block_missing"},
                                                  {"merge-no-rescale", "merge_no_rescale"},
                                                  {"chunks-ignored", "chunks_ignored"}};
  for (const auto& [fault, name] : faults) {
    const std::string mask = fault == "chunks-ignored" ? "causal chunk=20" : "causal";
    write("b1 h4/2 s64 d16 f32 " + mask + " | zigzag ring r4 | cpu | random fault=" + fault, "wrong.safetensors");
    const Ran ran = run({"check", path("wrong.safetensors"), "--json"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(nlohmann::json::parse(ran.out)["diagnosis"]["name"], name) << ran.out;
  }
}

std::vector<TensorToWrite> tensors_of(const TensorFile& file) {
  std::vector<TensorToWrite> tensors;
  for (const FileTensor& t : file.tensors()) {
    tensors.push_back({t.name, t.type, t.shape, std::vector<double>(static_cast<std::size_t>(t.size()))});
    t.read(0, tensors.back().values);
  }
  return tensors;
}

TEST_F(Export, AMaskBesideACaseThatSaysAnotherIsNoted) {
  write("b1 h2 s24 d8 f32 causal fwd | ring r1", "whole.safetensors");
  const TensorFile whole = TensorFile::read(path("whole.safetensors"));
  auto metadata = whole.metadata();
  write_safetensors(path("same.safetensors"), tensors_of(whole), metadata);
  EXPECT_THAT(run({"check", path("same.safetensors")}).out, Not(HasSubstr("the case is taken")));
  metadata["mask"] = "full";
  write_safetensors(path("other.safetensors"), tensors_of(whole), metadata);
  const Ran ran = run({"check", path("other.safetensors")});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("metadata `mask` says full and `case` causal: the case is taken"));
}

TEST_F(Export, AnOutputInANarrowerTypeThanItsFileIsSaidSo) {
  write("b1 h2 s24 d8 f32 causal fwd | ring r1", "whole.safetensors");
  std::vector<TensorToWrite> tensors = tensors_of(TensorFile::read(path("whole.safetensors")));
  for (TensorToWrite& t : tensors) {
    for (double& x : t.values) x = t.name == "o" ? round_to(ElementType::bf16, x) : x;
  }
  write_safetensors(path("narrow.safetensors"), tensors, {});
  const Ran ran = run({"check", path("narrow.safetensors"), "--mask", "causal"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("o holds nothing but bf16 numbers, stored as f32"));
}

TEST_F(Export, NothingButNanOrInputsIsNoPass) {
  const auto write_tensors = [&](const std::string& name, const std::string& output, double value) {
    const std::vector<std::int64_t> shape{1, 1, 2, 2};
    std::vector<TensorToWrite> tensors;
    for (const char* input : {"q", "k", "v"}) tensors.push_back({input, ElementType::f32, shape, {1, 2, 3, 4}});
    if (output == "lse") tensors.push_back({output, ElementType::f32, {1, 1, 2}, {value, value}});
    if (output != "lse") tensors.push_back({output, ElementType::f32, shape, std::vector<double>(4, value)});
    write_safetensors(path(name), tensors, {});
  };
  write_tensors("nan.safetensors", "o", std::nan(""));
  auto json = compared("nan.safetensors", "nan.safetensors", 1);
  EXPECT_EQ(json["verdict"], "mistrusted");
  EXPECT_THAT(std::string(json["reason"]), HasSubstr("no element of an output is finite in both"));
  write_tensors("o.safetensors", "o", 1);
  EXPECT_EQ(compared("o.safetensors", "o.safetensors", 0)["verdict"], "passed");
  EXPECT_EQ(compared("o.safetensors", "nan.safetensors", 1)["verdict"], "failed");
  write_tensors("lse.safetensors", "lse", 1);
  json = compared("o.safetensors", "lse.safetensors", 1);
  EXPECT_THAT(std::string(json["reason"]), HasSubstr("no output is in both"));
}

// A reader that knows no case line finds the same in the keys of docs/formats.md.
TEST_F(Export, AFileExplainsItselfWithoutItsCase) {
  for (const char* c :
       {"b2 h4/2 s13 d4 causal kv-lens=13,7 scale=0.3 softcap=5 | zigzag ring r3", "h4 s9x13 d4 causal",
        "h4 s9x13 d4 causal offset=0", "h4 s13x9 d4 window=3,-1 offset=0 | striped ring r2",
        "h4 s13 d4 docs=0,5,13 bf16", "h4 s13 d4 prefix=4 alibi sink-logit | contiguous all-gather r3"}) {
    for (const bool shards : {false, true}) {
      write(c, "a.safetensors", shards ? std::vector<std::string>{"--shards"} : std::vector<std::string>{});
      for (const std::string& file : files_of_dump(path("a.safetensors"))) {
        const TensorFile read = TensorFile::read(file);
        auto metadata = read.metadata();
        EXPECT_EQ(metadata.at("lse_base"), "e");
        EXPECT_EQ(metadata.erase("case"), 1u);
        std::vector<TensorToWrite> tensors;
        for (const FileTensor& t : read.tensors()) {
          tensors.push_back({t.name, t.type, t.shape, std::vector<double>(static_cast<std::size_t>(t.size()))});
          t.read(0, tensors.back().values);
        }
        write_safetensors(file, tensors, metadata);
      }
      const Ran ran = run({"check", path("a.safetensors")});
      EXPECT_EQ(ran.code, 0) << c << shards << ran.out << ran.err;
      for (const std::string& file : files_of_dump(path("a.safetensors"))) std::filesystem::remove(file);
    }
  }
}

TEST_F(Export, WhatTheKeysCannotSayIsLeftToTheCase) {
  write("h4 s16 d4 chunk=4 sinks=2 | zigzag bidi r2", "a.safetensors", {"--shards"});
  const TensorFile file = TensorFile::read(files_of_dump(path("a.safetensors")).front());
  EXPECT_FALSE(file.metadata().contains("mask"));
  EXPECT_FALSE(file.metadata().contains("layout"));
}

TEST_F(Export, TheLastStatesAreTheOutputs) {
  write(ring, "a.safetensors", {"--steps", "--shards"});
  const Dump dump = read_dump(files_of_dump(path("a.safetensors")), {});
  const Tensor lse = dump.outputs[static_cast<std::size_t>(Output::lse)]->read();
  const TensorFile shard = TensorFile::read(files_of_dump(path("a.safetensors"))[1]);
  const FileTensor& last = shard.require("t3.r1.lse");
  const auto rows = dump.layout->q[1].positions();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(last.value(static_cast<std::int64_t>(r)), *lse.row(0, 0, rows[r]));
  }
}

TEST_F(Export, DifferentRecipesAreComparedByTheirOutputsAlone) {
  write("h6/2 s33 d8/6 causal rope=10000 | zigzag ring r4", "a.safetensors", {"--steps"});
  write("h6/2 s33 d8/6 causal rope=10000 | contiguous bidi r3", "b.safetensors", {"--steps"});
  const auto json = compared("a.safetensors", "b.safetensors", 0);
  EXPECT_THAT(json["notes"].dump(), HasSubstr("recipes differ"));
  EXPECT_EQ(json["tensors"].size(), 9u);
}

TEST_F(Export, OtherInputsAreRefused) {
  write(ring, "a.safetensors");
  write(ring + " | random seed=1", "b.safetensors");
  const Ran ran = run({"compare", path("a.safetensors"), path("b.safetensors")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("same inputs"));
}

TEST_F(Export, ShardsOfTwoRunsUnderOneNameAreRefused) {
  write("s16 d8 | contiguous ring r2", "a.safetensors", {"--shards"});
  write("s16 d8 | contiguous ring r3", "a.safetensors", {"--shards"});
  const Ran ran = run({"compare", path("a.safetensors"), path("a.safetensors")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("one run"));
}

TEST_F(Export, WrongArgumentsAreRefused) {
  EXPECT_EQ(run({"export", ring}).code, 2);
  EXPECT_EQ(run({"export", ring, path("a.npz")}).code, 2);
  EXPECT_EQ(run({"compare", path("nothing.safetensors"), path("nothing.safetensors")}).code, 2);
}

}  // namespace
}  // namespace ringscope
