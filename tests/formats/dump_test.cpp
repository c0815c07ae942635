#include "formats/dump.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include "core/case.h"
#include "core/error.h"
#include "formats/dump_words.h"
#include "formats/tensor_file.h"

namespace ringscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Metadata = std::map<std::string, std::string>;

constexpr std::int64_t batch = 2, heads_q = 4, heads_kv = 2, rows = 5, dim = 3;

// What tells an element from every other.
double code(double tensor, std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t d) {
  return tensor * 4096 + static_cast<double>(((b * 8 + h) * 16 + s) * 4 + d);
}

TensorToWrite coded(const std::string& name, double tensor, std::int64_t heads, std::vector<std::int64_t> positions,
                    Axes axes, std::int64_t last = dim) {
  const auto local = static_cast<std::int64_t>(positions.size());
  TensorToWrite t{name, ElementType::f32, {batch, heads, local}, {}};
  if (axes == Axes::bshd) t.shape = {batch, local, heads};
  if (last > 0) t.shape.push_back(last);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t outer = 0; outer < t.shape[1]; ++outer) {
      for (std::int64_t inner = 0; inner < t.shape[2]; ++inner) {
        const std::int64_t h = axes == Axes::bhsd ? outer : inner, r = axes == Axes::bhsd ? inner : outer;
        for (std::int64_t d = 0; d < std::max<std::int64_t>(last, 1); ++d) {
          t.values.push_back(code(tensor, b, h, positions[static_cast<std::size_t>(r)], d));
        }
      }
    }
  }
  return t;
}

class DumpFile : public testing::Test {
 protected:
  ~DumpFile() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }

  const std::string& write(const std::vector<TensorToWrite>& tensors, const Metadata& metadata) {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    paths_.push_back(testing::TempDir() + test + std::to_string(paths_.size()) + ".safetensors");
    write_safetensors(paths_.back(), tensors, metadata);
    return paths_.back();
  }

  std::vector<TensorToWrite> inputs_and_o(std::vector<std::int64_t> positions = {0, 1, 2, 3, 4},
                                          Axes axes = Axes::bhsd) {
    return {coded("q", 1, heads_q, positions, axes), coded("k", 2, heads_kv, positions, axes),
            coded("v", 3, heads_kv, positions, axes), coded("o", 4, heads_q, positions, axes)};
  }

  Dump read(const DumpWords& words = {}) const { return read_dump(paths_, words); }
  std::string refusal(const DumpWords& words = {}) const {
    try {
      read(words);
    } catch (const Error& error) {
      return error.what();
    }
    return "read";
  }

  void expect_natural(const DumpTensor& tensor, double code_of_tensor) const {
    const Tensor t = tensor.read();
    for (std::int64_t b = 0; b < t.shape.batch; ++b) {
      for (std::int64_t h = 0; h < t.shape.heads; ++h) {
        for (std::int64_t s = 0; s < t.shape.rows; ++s) {
          for (std::int64_t d = 0; d < t.shape.dim; ++d) {
            ASSERT_EQ(t.row(b, h, s)[d], code(code_of_tensor, b, h, s, d)) << b << " " << h << " " << s << " " << d;
          }
        }
      }
    }
  }

  std::vector<std::string> paths_;
};

TEST_F(DumpFile, AxesAreReadInNaturalOrder) {
  for (const Axes axes : {Axes::bhsd, Axes::bshd}) {
    paths_.clear();
    write(inputs_and_o({0, 1, 2, 3, 4}, axes), {{"axes", axes == Axes::bhsd ? "BHSD" : "BSHD"}});
    const Dump dump = read();
    EXPECT_EQ(dump.problem.shape_q(), (Shape{batch, heads_q, rows, dim}));
    EXPECT_EQ(dump.problem.shape_k(), (Shape{batch, heads_kv, rows, dim}));
    expect_natural(dump.q, 1), expect_natural(dump.k, 2), expect_natural(dump.v, 3);
    expect_natural(*dump.outputs[0], 4);
  }
}

TEST_F(DumpFile, RowsRankByRankComeHome) {
  write(inputs_and_o({0, 4, 1, 2, 3}), {{"layout", "zigzag 2"}});  // chunks of 2, 1, 1, 1: rank 0 has 0, 1 and 4
  EXPECT_THAT(refusal(), HasSubstr("read"));
  paths_.clear();
  write(inputs_and_o({0, 1, 4, 2, 3}), {{"layout", "zigzag 2"}});
  expect_natural(read().q, 1);
  ASSERT_TRUE(read().layout);
  EXPECT_EQ(read().layout->ranks, 2);
}

TEST_F(DumpFile, ShardsAreOrderedByRankWhateverTheOrderOfTheFiles) {
  write(inputs_and_o({1, 3}), {{"layout", "striped 2"}, {"rank", "1"}, {"ranks", "2"}});
  write(inputs_and_o({0, 2, 4}), {{"layout", "striped 2"}, {"rank", "0"}, {"ranks", "2"}});
  const Dump dump = read();
  expect_natural(dump.q, 1), expect_natural(dump.k, 2), expect_natural(*dump.outputs[0], 4);
}

TEST_F(DumpFile, FlagsWinOverMetadata) {
  write(inputs_and_o(), {{"mask", "causal"}, {"scale", "0.5"}, {"softcap", "3"}, {"axes", "BHSD"}});
  DumpWords words;
  EXPECT_TRUE(read().problem.mask.causal);
  EXPECT_EQ(read().problem.scale(), 0.5);
  words.mask = "full", words.scale = "0.25", words.softcap = "7";
  EXPECT_EQ(read(words).problem.mask, Mask{});
  EXPECT_EQ(read(words).problem.scale(), 0.25);
  EXPECT_EQ(read(words).problem.terms.softcap, 7);
  words = {};
  words.problem = "causal window=2,0 scale=0.125";
  EXPECT_EQ(read(words).problem.mask, (Mask{.causal = true, .window = Window{2, 0}}));
  EXPECT_EQ(read(words).problem.scale(), 0.125);
  words.mask = "full";
  EXPECT_THAT(refusal(words), HasSubstr("--problem beside --mask"));
}

TEST_F(DumpFile, LseIsConvertedToTheNaturalLogarithm) {
  auto tensors = inputs_and_o();
  tensors.push_back(coded("lse", 1, heads_q, {0, 1, 2, 3, 4}, Axes::bshd, 0));
  write(tensors, {{"lse_axes", "BSH"}, {"lse_base", "2"}});
  const Tensor lse = read().outputs[1]->read();
  EXPECT_EQ(lse.shape, (Shape{batch, heads_q, rows, 1}));
  EXPECT_NEAR(*lse.row(1, 2, 3), code(1, 1, 2, 3, 0) * std::log(2.0), 1e-9);
  DumpWords words;
  words.lse_base = "e";
  EXPECT_EQ(*read(words).outputs[1]->read().row(1, 2, 3), code(1, 1, 2, 3, 0));
}

TEST_F(DumpFile, LseMayHaveALastAxisOfOne) {
  auto tensors = inputs_and_o();
  tensors.push_back(coded("lse", 5, heads_q, {0, 1, 2, 3, 4}, Axes::bhsd, 1));
  write(tensors, {});
  expect_natural(*read().outputs[1], 5);
}

TEST_F(DumpFile, SaysWhatItAssumedAndWhatItDidNotRead) {
  auto tensors = inputs_and_o();
  tensors.push_back({"bias", ElementType::f32, {1}, {0}});
  write(tensors, {{"mask", "causal"}, {"kv_length", "3"}});
  EXPECT_THAT(read().notes, Contains(HasSubstr("axes BHSD")));
  EXPECT_THAT(read().notes, Contains(::testing::AllOf(HasSubstr("bias"), HasSubstr("kv_length"))));
  EXPECT_THAT(read().notes, Not(Contains(HasSubstr("mask full"))));
}

TEST_F(DumpFile, RefusesWithTheFlagThatHelps) {
  auto tensors = inputs_and_o();
  tensors.pop_back();
  write(tensors, {});
  EXPECT_THAT(refusal(), HasSubstr("any of o, lse, dq, dk, dv"));
  paths_.clear();
  write({coded("q", 1, 4, {0, 1}, Axes::bshd), coded("k", 1, 3, {0, 1}, Axes::bhsd),
         coded("v", 1, 3, {0, 1}, Axes::bhsd), coded("o", 1, 4, {0, 1}, Axes::bshd)},
        {});
  EXPECT_THAT(refusal(), ::testing::AllOf(HasSubstr("--axes"), HasSubstr("q with B2 H2 S4 D3"),
                                          HasSubstr("k with B2 H3 S2 D3"), HasSubstr(paths_[0])));
  paths_.clear();
  tensors = inputs_and_o();
  tensors[2] = coded("v", 3, heads_kv, {0, 1, 2, 3}, Axes::bhsd);
  write(tensors, {});
  EXPECT_THAT(refusal(), ::testing::AllOf(HasSubstr("k with B2 H2 S5 D3, v with B2 H2 S4 D3"), HasSubstr(paths_[0]),
                                          HasSubstr("k and v with the same heads and rows")));
  paths_.clear();
  tensors = inputs_and_o();
  tensors.push_back(coded("dq", 5, heads_q, {0, 1, 2, 3, 4}, Axes::bhsd));
  write(tensors, {});
  EXPECT_THAT(refusal(), HasSubstr("gradients without `do`"));
  paths_.clear();
  tensors = inputs_and_o();
  tensors.push_back(coded("lse", 5, heads_q, {0, 1, 2, 3, 4}, Axes::bshd, 0));
  write(tensors, {});
  EXPECT_THAT(refusal(), HasSubstr("--lse-axes BSH"));
  DumpWords words;
  words.layout = "zigzg 4";
  EXPECT_THAT(refusal(words), ::testing::AllOf(HasSubstr("--layout"), HasSubstr("zigzag")));
}

TEST_F(DumpFile, OtherNamesAreToldFromRightOnes) {
  auto tensors = inputs_and_o();
  tensors[3].name = "attn.Out";
  write(tensors, {});
  EXPECT_THAT(refusal(), HasSubstr("`attn.Out` looks like o: if it is, save it under that name"));
  tensors[3].name = "o", tensors.push_back(coded("dQ", 5, heads_q, {0, 1, 2, 3, 4}, Axes::bhsd));
  tensors.push_back(coded("grad_k", 6, heads_kv, {0, 1, 2, 3, 4}, Axes::bhsd));
  paths_.clear(), write(tensors, {});
  EXPECT_THAT(read().notes, Contains(HasSubstr("`dQ` looks like dq, `grad_k` like dk")));
  tensors[4].name = "dq", tensors[5].name = "dout";
  paths_.clear(), write(tensors, {});
  EXPECT_THAT(refusal(), HasSubstr("`dout` looks like do"));
  tensors[1].name = "key";
  paths_.clear(), write(tensors, {});
  EXPECT_THAT(refusal(), ::testing::AllOf(HasSubstr("no k in"), HasSubstr("`key` looks like k")));
}

TEST_F(DumpFile, WhatAFlagSaysBeyondTheTensorsIsRefused) {
  write(inputs_and_o(), {{"kv_lengths", "99 3"}});
  EXPECT_EQ(read().problem.mask.kv_lens, (std::vector<std::int64_t>{5, 3}));
  const auto refused = [&](std::optional<std::string> DumpWords::*word, const char* said, const char* range) {
    DumpWords words;
    words.*word = said;
    EXPECT_THAT(refusal(words), HasSubstr(range)) << said;
  };
  refused(&DumpWords::kv_lengths, "99 3", "from 0 to Skv = 5");
  refused(&DumpWords::mask, "prefix 6", "from 0 to Skv = 5");
  refused(&DumpWords::mask, "documents 0 3 6", "from 0 to S = 5");
  refused(&DumpWords::problem, "prefix=6", "Skv = 5");
  refused(&DumpWords::problem, "kv-lens=6,1", "Skv = 5");
  refused(&DumpWords::problem, "docs=0,6", "Skv = 5");
  DumpWords words;
  words.mask = "window 100 0";
  EXPECT_EQ(read(words).problem.mask.window->left, 100);
}

TEST_F(DumpFile, RefusesShardsThatDoNotFit) {
  write(inputs_and_o({0, 1, 2}), {{"layout", "contiguous 2"}, {"rank", "0"}, {"ranks", "2"}});
  EXPECT_THAT(refusal(), HasSubstr("1 files of a run with 2 ranks"));
  write(inputs_and_o({3, 4}), {{"layout", "contiguous 2"}, {"rank", "0"}, {"ranks", "2"}});
  EXPECT_THAT(refusal(), HasSubstr("twice"));
  paths_.pop_back();
  write(inputs_and_o({3, 4}), {{"layout", "striped 2"}, {"rank", "1"}, {"ranks", "2"}});
  EXPECT_THAT(refusal(), HasSubstr("differs between"));
  paths_.pop_back();
  write(inputs_and_o({3}), {{"layout", "contiguous 2"}, {"rank", "1"}, {"ranks", "2"}});
  EXPECT_THAT(refusal(), HasSubstr("--layout"));
}

TEST_F(DumpFile, AShardMayHoldNoRows) {
  const auto metadata = [](const char* rank) {
    return Metadata{{"layout", "contiguous 3"}, {"rank", rank}, {"ranks", "3"}};
  };
  const auto shard = [](std::vector<std::int64_t> q, std::vector<std::int64_t> kv) {
    return std::vector<TensorToWrite>{coded("q", 1, heads_q, q, Axes::bhsd), coded("k", 2, heads_kv, kv, Axes::bhsd),
                                      coded("v", 3, heads_kv, kv, Axes::bhsd), coded("o", 4, heads_q, q, Axes::bhsd)};
  };
  write(shard({0}, {0}), metadata("0")), write(shard({}, {1}), metadata("1")), write(shard({}, {}), metadata("2"));
  const Dump dump = read();
  EXPECT_EQ(dump.problem.len_q, 1);
  EXPECT_EQ(dump.problem.len_kv, 2);
  expect_natural(dump.q, 1), expect_natural(dump.k, 2), expect_natural(*dump.outputs[0], 4);
  paths_.clear();
  write(shard({}, {0}), {});
  EXPECT_THAT(refusal(), HasSubstr("at least one row"));
}

TEST_F(DumpFile, ShapesWithoutElementsAreRefusedBeforeAnythingIsMade) {
  const std::vector<std::int64_t> shape{1, 1, std::int64_t{1} << 40, 0};
  write({{"q", ElementType::f32, shape, {}},
         {"k", ElementType::f32, shape, {}},
         {"v", ElementType::f32, shape, {}},
         {"o", ElementType::f32, shape, {}}},
        {});
  EXPECT_THAT(refusal(), HasSubstr("at least one"));
}

// The rules of the data README, one pair at a time.
struct Rules {
  std::int64_t len_q = 0, len_kv = 0;
  std::vector<std::function<bool(std::int64_t i, std::int64_t j)>> all;
};

void expect_mask(const std::string& words, const Rules& rules) {
  const Mask mask = read_mask_words({words, "--mask"}, rules.len_q, rules.len_kv);
  mask.validate(1, rules.len_q, rules.len_kv);
  for (std::int64_t i = 0; i < rules.len_q; ++i) {
    for (std::int64_t j = 0; j < rules.len_kv; ++j) {
      bool want = true;
      for (const auto& rule : rules.all) want = want && rule(i, j);
      ASSERT_EQ(may_see(mask, rules.len_q, rules.len_kv, 0, i, j), want) << words << " " << i << " " << j;
    }
  }
}

TEST(MaskWords, MeanWhatTheDataReadmeSays) {
  const auto causal = [](auto i, auto j) { return j <= i; };
  const auto window = [](auto i, auto j) { return i - 2 <= j && j <= i + 1; };
  const auto prefix = [](auto i, auto j) { return j < 3 || j <= i; };
  const auto documents = [](auto i, auto j) {
    return (i >= 1 && i < 4 && j >= 1 && j < 4) || (i >= 4 && i < 6 && j >= 4 && j < 6);
  };
  for (const auto& [q, kv] : {std::pair<std::int64_t, std::int64_t>{7, 7}, {4, 9}, {9, 4}, {5, 6}, {6, 5}}) {
    const std::int64_t more = kv - q;
    const auto bottom_right = [more](auto i, auto j) { return j <= i + more; };
    expect_mask("full", {q, kv, {}});
    expect_mask("causal", {q, kv, {causal}});
    expect_mask("causal bottom-right", {q, kv, {bottom_right}});
    expect_mask("window 2 1", {q, kv, {window}});
    expect_mask("causal window 2 1", {q, kv, {causal, window}});
    expect_mask("prefix 3", {q, kv, {prefix}});
    expect_mask("causal prefix 3", {q, kv, {causal, prefix}});
    if (more >= -2) expect_mask("causal bottom-right window 2 1", {q, kv, {bottom_right, window}});
    if (more >= 0) expect_mask("causal bottom-right causal", {q, kv, {bottom_right, causal}});
  }
  expect_mask("documents 1 4 6", {7, 7, {documents}});
  expect_mask("documents 1 4 6 causal", {7, 7, {documents, causal}});
  expect_mask("documents 0 3 70", {5, 5, {[](auto i, auto j) { return (i < 3) == (j < 3); }}});
  expect_mask("prefix 50", {5, 5, {}});
}

TEST(MaskWords, AreRefusedWithTheNearestRightWord) {
  const auto refusal = [](const std::string& words, std::int64_t q = 5, std::int64_t kv = 5) {
    try {
      read_mask_words({words, "--mask"}, q, kv);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(refusal("casual"), HasSubstr("causal"));
  EXPECT_THAT(refusal("window 3"), HasSubstr("a number after `window`"));
  EXPECT_THAT(refusal("window -1 0"), HasSubstr("from 0 on"));
  EXPECT_THAT(refusal("documents 4"), HasSubstr("two boundaries"));
  EXPECT_THAT(refusal("causal bottom-right prefix 2", 5, 9), HasSubstr("one alignment"));
  EXPECT_THAT(refusal("window 1 1 window 2 2"), HasSubstr("one window"));
}

}  // namespace
}  // namespace ringscope
