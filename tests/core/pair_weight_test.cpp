#include "core/pair_weight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/fill.h"
#include "core/oracle.h"

namespace ringscope {
namespace {

Problem odd_problem(const Mask& mask, const ScoreTerms& terms) {
  return {.batch = 2,
          .heads_q = 6,
          .heads_kv = 2,
          .len_q = 11,
          .len_kv = 13,
          .dim_qk = 6,
          .dim_v = 3,
          .mask = mask,
          .terms = terms,
          .direction = Direction::forward};
}

// O = sum of weight * kept * V, and weight = exp(score - LSE), for every row.
void expect_oracle(const Problem& problem) {
  const Inputs inputs = make_inputs(problem, Fill::random, 5);
  const Outputs outputs = oracle<double>(problem, inputs);
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      for (std::int64_t i = 0; i < problem.len_q; ++i) {
        std::vector<double> o(static_cast<std::size_t>(problem.dim_v));
        for (std::int64_t j = 0; j < problem.len_kv; ++j) {
          const PairWeight w = pair_weight(problem, inputs, {b, h, i, j});
          ASSERT_EQ(w.allowed, may_see(problem.mask, problem.len_q, problem.len_kv, b, i, j));
          if (!w.allowed) continue;
          EXPECT_NEAR(w.weight, std::exp(w.score - *outputs.lse.row(b, h, i)), 1e-14);
          for (std::size_t d = 0; d < o.size(); ++d) {
            o[d] += w.weight * w.kept * inputs.v.row(b, h / problem.group(), j)[d];
          }
        }
        for (std::size_t d = 0; d < o.size(); ++d) EXPECT_NEAR(o[d], outputs.o.row(b, h, i)[d], 1e-13);
      }
    }
  }
}

TEST(PairWeight, MakesTheOraclesOutputsAndLse) {
  expect_oracle(odd_problem({}, {}));
  expect_oracle(odd_problem({.causal = true}, {.scale = 0.3, .softcap = 2, .alibi = true}));
  expect_oracle(odd_problem({.window = Window{3, 1}, .sinks = 2}, {.rope_base = 100, .sink_logit = true}));
  expect_oracle(odd_problem({.kv_lens = {5, 13}}, {.dropout = 0.5}));
}

TEST(PairWeight, CountsTheHeavierKeysOfTheRow) {
  const Problem problem = odd_problem({.causal = true}, {});
  const Inputs inputs = make_inputs(problem, Fill::random, 5);
  std::int64_t sum = 0, keys = 0;
  for (std::int64_t j = 0; j < problem.len_kv; ++j) {
    const PairWeight w = pair_weight(problem, inputs, {1, 2, 7, j});
    keys = w.keys;
    if (w.allowed) sum += w.heavier;
  }
  EXPECT_EQ(keys, 10);
  EXPECT_EQ(sum, keys * (keys - 1) / 2);
}

}  // namespace
}  // namespace ringscope
