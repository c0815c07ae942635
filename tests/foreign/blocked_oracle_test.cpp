#include "core/foreign/blocked_oracle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/fill.h"
#include "core/foreign/tile_round.h"
#include "core/oracle.h"
#include "tests/core/problems.h"

namespace ringscope {
namespace {

// The same problem over several tiles of rows and keys, the last ones not full.
Problem stretched(Problem p) {
  const std::int64_t longest = std::max(p.len_q, p.len_kv);
  const auto stretch = [&](std::int64_t n) { return n * 101 / longest; };
  p.len_q = stretch(p.len_q), p.len_kv = stretch(p.len_kv);
  p.dim_qk = 18, p.dim_v = 11;
  for (std::int64_t& n : p.mask.docs) n = stretch(n);
  for (std::int64_t& n : p.mask.kv_lens) n = stretch(n);
  if (p.mask.prefix) p.mask.prefix = stretch(*p.mask.prefix);
  if (p.mask.window) p.mask.window = Window{stretch(p.mask.window->left), stretch(p.mask.window->right)};
  if (p.mask.chunk > 0) p.mask.chunk = stretch(p.mask.chunk);
  return p;
}

std::vector<NamedProblem> all_problems() {
  std::vector<NamedProblem> out = masked_problems();
  for (NamedProblem& p : problems_with_terms()) out.push_back(std::move(p));
  for (NamedProblem& p : out) p.problem = stretched(p.problem);
  return out;
}

// Both are fp64 in another order: 1e-13 C, as docs/numerics.md derives for f64 kernels.
void expect_alike(const Tensor& mine, const Tensor& theirs, const Tensor& bound, const std::string& name) {
  constexpr double smallest = std::numeric_limits<double>::min();  // below it, roundings are absolute
  ASSERT_EQ(mine.values.size(), theirs.values.size()) << name;
  for (std::size_t n = 0; n < mine.values.size(); ++n) {
    if (mine.values[n] == theirs.values[n]) continue;  // -inf, too
    ASSERT_LE(std::abs(mine.values[n] - theirs.values[n]), 1e-13 * bound.values[n] + smallest)
        << name << " element " << n;
  }
}

void expect_oracle(const Problem& p, const Inputs& inputs, const std::string& name) {
  const Outputs theirs = oracle<double>(p, inputs), bounds = magnitudes(p, inputs);
  for (const int threads : {1, 3}) {
    const Outputs mine = blocked_oracle(p, inputs, threads);
    expect_alike(mine.o, theirs.o, bounds.o, name + " o");
    expect_alike(mine.lse, theirs.lse, bounds.lse, name + " lse");
    expect_alike(mine.dq, theirs.dq, bounds.dq, name + " dq");
    expect_alike(mine.dk, theirs.dk, bounds.dk, name + " dk");
    expect_alike(mine.dv, theirs.dv, bounds.dv, name + " dv");
  }
}

TEST(BlockedOracle, IsThePlainOracleForEveryMaskAndTerm) {
  for (const auto& [name, p] : all_problems()) expect_oracle(p, make_inputs(p, Fill::random, 5), name);
}

TEST(BlockedOracle, ForwardAloneLeavesGradientsEmpty) {
  Problem p = all_problems().front().problem;
  p.direction = Direction::forward;
  const Outputs out = blocked_oracle(p, make_inputs(p, Fill::random, 5), 2);
  EXPECT_TRUE(out.dq.empty() && out.dk.empty() && out.dv.empty());
}

TEST(BlockedOracle, KeysThatNoQuerySeesMayBeNan) {
  Problem p{.batch = 1, .heads_q = 2, .heads_kv = 1, .len_q = 70, .len_kv = 70, .mask = {.docs = {7, 30, 50}}};
  expect_oracle(p, make_inputs(p, Fill::poison, 5), "poison");
}

// What cannot be a number is none in both, and in the same places.
TEST(BlockedOracle, NanThatARowSeesComesThroughAsInThePlainOracle) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Problem p{
      .batch = 1, .heads_q = 2, .heads_kv = 1, .len_q = 70, .len_kv = 70, .mask = {.causal = true, .docs = {2, 70}}};
  for (const double value : {std::nan(""), infinity, -infinity}) {
    for (Tensor Inputs::*tensor : {&Inputs::q, &Inputs::k, &Inputs::v, &Inputs::d_o}) {
      Inputs inputs = make_inputs(p, Fill::random, 5);
      (inputs.*tensor).row(0, 0, 40)[1] = value;
      const Outputs theirs = oracle<double>(p, inputs), mine = blocked_oracle(p, inputs, 2);
      for (Tensor Outputs::*output : {&Outputs::o, &Outputs::lse, &Outputs::dq, &Outputs::dk, &Outputs::dv}) {
        // Tiles leave keys of weight 0 out of the gradients even where they are infinite.
        if (std::isinf(value) && output != &Outputs::o && output != &Outputs::lse) continue;
        const std::vector<double>&a = (mine.*output).values, &b = (theirs.*output).values;
        for (std::size_t n = 0; n < a.size(); ++n) ASSERT_EQ(std::isnan(a[n]), std::isnan(b[n])) << value << " " << n;
      }
      EXPECT_EQ(std::isnan(theirs.o.row(0, 0, 40)[1]) || std::isinf(value),
                tensor != &Inputs::d_o || std::isinf(value));
    }
  }
}

// A row all of whose keys score -infinity is not a row without keys.
TEST(BlockedOracle, KeysThatAllScoreMinusInfinityGiveNan) {
  Problem p{.batch = 1, .heads_q = 1, .heads_kv = 1, .len_q = 3, .len_kv = 3, .dim_qk = 1, .dim_v = 2};
  p.direction = Direction::forward;
  Inputs inputs = make_inputs(p, Fill::random, 5);
  std::fill(inputs.k.values.begin(), inputs.k.values.end(), 1.0);
  *inputs.q.row(0, 0, 1) = -std::numeric_limits<double>::infinity();
  for (const Outputs& out : {oracle<double>(p, inputs), blocked_oracle(p, inputs, 1)}) {
    EXPECT_TRUE(std::isnan(*out.lse.row(0, 0, 1)) && std::isnan(out.o.row(0, 0, 1)[0]));
    EXPECT_TRUE(std::isfinite(*out.lse.row(0, 0, 2)) && std::isfinite(out.o.row(0, 0, 2)[0]));
  }
}

TEST(BlockedOracle, LargeScoresDoNotOverflow) {
  Problem p{.batch = 1, .heads_q = 2, .heads_kv = 1, .len_q = 70, .len_kv = 70, .mask = {.causal = true}};
  p.terms.scale = 0.25;
  expect_oracle(p, make_inputs(p, Fill::overflow, 5), "overflow");
}

TEST(BlockedOracle, OtherSlopesAreHonouredByBoth) {
  Problem p{.batch = 1, .heads_q = 2, .heads_kv = 1, .len_q = 40, .len_kv = 50};
  p.terms.alibi = true;
  Inputs inputs = make_inputs(p, Fill::random, 5);
  const Outputs usual = oracle<double>(p, inputs);
  inputs.alibi_slope = {0.3, 0.01};
  expect_oracle(p, inputs, "slopes");
  EXPECT_NE(oracle<double>(p, inputs).o.values, usual.o.values);
}

TEST(TileRound, IsRoundToForEveryKindOfNumber) {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < 0xFFFF0000u; bits += 0x1357) values.push_back(std::bit_cast<float>(bits));
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::f16, ElementType::e4m3}) {
    std::vector<float> rounded = values;
    round_all(type, rounded);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto want = static_cast<float>(round_to(type, static_cast<double>(values[n])));
      if (std::isnan(want) && std::isnan(rounded[n])) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(rounded[n]), std::bit_cast<std::uint32_t>(want))
          << name_of(type) << " of " << values[n];
    }
  }
}

}  // namespace
}  // namespace ringscope
