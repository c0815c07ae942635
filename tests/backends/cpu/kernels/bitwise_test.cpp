// The bits of the bitwise kernel: those of the loops, and constants (numerics contract 2).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/layout.h"
#include "tests/backends/cpu/kernels/whole_attention.h"

namespace ringscope::cpu {
namespace {

// FNV-1a over the values as doubles, every NaN alike.
std::uint64_t hash_of(const Outputs& outputs) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const Tensor* t : {&outputs.o, &outputs.lse, &outputs.dq, &outputs.dk, &outputs.dv}) {
    for (const double x : t->values) {
      const std::uint64_t bits = std::isnan(x) ? 0x7ff8000000000000 : std::bit_cast<std::uint64_t>(x);
      for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
}

struct GoldenRun {
  const char* name;
  Problem problem;
  std::uint64_t hash_float, hash_double;
};

Problem problem_of(const Mask& mask, const ScoreTerms& terms) {
  Problem p;
  p.batch = 2;
  p.heads_q = 6;
  p.heads_kv = 2;
  p.len_q = p.len_kv = 75;
  p.dim_qk = 9;
  p.dim_v = 20;
  p.mask = mask;
  p.terms = terms;
  return p;
}

std::vector<GoldenRun> golden_runs() {
  return {{"full", problem_of({}, {}), 0xd070cce543cc41eb, 0xa713765994255c68},
          {"causal", problem_of({.causal = true}, {}), 0x053be63b21e44d48, 0xfd5e0e3df4fc7798},
          {"window with sinks", problem_of({.causal = true, .window = Window{9, 0}, .sinks = 3}, {.scale = 0.8}),
           0x6038df73b5cc20e0, 0xcd4c705525ef9d47},
          {"all terms", problem_of({.kv_lens = {0, 61}}, {.softcap = 4, .alibi = true, .dropout = 0.25}),
           0x4e00ed5dc56bb758, 0x57ca2082d291b8a8}};
}

constexpr int tiles[] = {3, 16, 32, 64};
const Cut cut{.layout = "zigzag", .ranks = 3, .blocks_per_rank = 2, .kv_blocks_per_attend = 4};

template <class Real>
std::uint64_t hash_of_run(std::string_view kernel, const KernelOptions& options, const Problem& problem) {
  return hash_of(attend_whole(*make_kernel<Real>(kernel, options), problem, cut, some_inputs(problem)).outputs);
}

TEST(Bitwise, HasTheBitsOfTheLoopsForAnyTile) {
  for (const GoldenRun& run : golden_runs()) {
    for (const int tile : tiles) {
      const KernelOptions options{.tile = tile};
      EXPECT_EQ(hash_of_run<float>("bitwise", options, run.problem), hash_of_run<float>("naive", {}, run.problem));
      EXPECT_EQ(hash_of_run<double>("bitwise", options, run.problem), hash_of_run<double>("naive", {}, run.problem));
    }
  }
}

TEST(Bitwise, HasTheGoldenBits) {
  for (const GoldenRun& run : golden_runs()) {
    EXPECT_EQ(hash_of_run<float>("bitwise", {}, run.problem), run.hash_float) << run.name;
    EXPECT_EQ(hash_of_run<double>("bitwise", {}, run.problem), run.hash_double) << run.name;
  }
}

TEST(Bitwise, SeesOneKeyInAnotherOrder) {
  const Problem p = problem_of({}, {});
  Inputs inputs = some_inputs(p);
  for (std::int64_t d = 0; d < p.dim_qk; ++d) std::swap(inputs.k.row(0, 0, 3)[d], inputs.k.row(0, 0, 4)[d]);
  for (std::int64_t d = 0; d < p.dim_v; ++d) std::swap(inputs.v.row(0, 0, 3)[d], inputs.v.row(0, 0, 4)[d]);
  const Cut one{.layout = "contiguous", .ranks = 1};
  const auto kernel = make_kernel<float>("bitwise");
  EXPECT_NE(attend_whole(*kernel, p, one, inputs).outputs.o.values,
            attend_whole(*kernel, p, one, some_inputs(p)).outputs.o.values);
}

}  // namespace
}  // namespace ringscope::cpu
