// Kernels that round more often than the yardstick, or whose type is too small, and are right all the same.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "core/diagnosis/what_if.h"
#include "core/foreign/mistrust.h"
#include "core/tensor_of.h"
#include "tests/foreign/their_run.h"

namespace ringscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// dK and dV of a KV head are added over its query heads one after another in the type of the file.
struct AddedHeadByHead : TheirRun {
  Outputs of_heads;  // dk and dv of each query head alone

  AddedHeadByHead(ElementType type, std::int64_t heads)
      : TheirRun({.batch = 1,
                  .heads_q = heads,
                  .heads_kv = 1,
                  .len_q = 40,
                  .len_kv = 40,
                  .type = type,
                  .mask = {.causal = true}}) {
    Problem alone = problem;
    alone.heads_kv = heads;
    Inputs repeated = *inputs;
    for (Tensor* t : {&repeated.k, &repeated.v}) {
      const std::vector<double> head = t->values;
      *t = Tensor({1, heads, t->shape.rows, t->shape.dim});
      for (std::int64_t h = 0; h < heads; ++h) std::copy(head.begin(), head.end(), t->row(0, h, 0));
    }
    of_heads = baseline(alone, repeated, Weights::rounded_to_16_bit);
    add(0, heads, 1);
  }

  // From head `first` on, `count` heads, upwards or downwards.
  void add(std::int64_t first, std::int64_t count, std::int64_t by) {
    for (const Output output : {Output::dk, Output::dv}) {
      Tensor& sum = tensor_of(*outputs, output);
      const Tensor& heads = tensor_of(of_heads, output);
      std::fill(sum.values.begin(), sum.values.end(), 0.0);
      for (std::int64_t n_heads = 0, h = first; n_heads < count; ++n_heads, h += by) {
        for (std::size_t n = 0; n < sum.values.size(); ++n) {
          sum.values[n] = round_to(problem.type, sum.values[n] + heads.row(0, h, 0)[n]);
        }
      }
    }
  }
};

constexpr ElementType small_types[] = {ElementType::bf16, ElementType::f16};

TEST(TheirRoundings, AGroupThatIsAddedHeadByHeadIsRight) {
  bool beyond_fp32_sums = false;
  for (const ElementType type : small_types) {
    for (const std::int64_t heads : {2, 8, 32, 96}) {
      AddedHeadByHead run(type, heads);
      for (const std::int64_t by : {1, -1}) {
        run.add(by > 0 ? 0 : heads - 1, heads, by);
        const Judged judged = run.judge();
        EXPECT_EQ(judged.verdict(), Verdict::passed) << name_of(type) << " " << heads;
        for (const Output output : {Output::dk, Output::dv}) {
          for (const double reach : judged.of(output).row_reach) EXPECT_LE(reach, 1) << name_of(type) << " " << heads;
          beyond_fp32_sums = beyond_fp32_sums || judged.of(output).added_in_storage;
        }
        if (judged.of(Output::dv).added_in_storage) {
          EXPECT_THAT(weak_sides(judged), Contains(HasSubstr("added one after another in the type of the file")));
        }
      }
    }
  }
  EXPECT_TRUE(beyond_fp32_sums);
}

TEST(TheirRoundings, AHeadThatAGroupLacksAndAWrongElementFail) {
  for (const ElementType type : small_types) {
    AddedHeadByHead run(type, 32);
    run.add(0, 31, 1);
    Judged judged = run.judge();
    EXPECT_EQ(judged.of(Output::dk).figures.verdict, Verdict::failed);
    EXPECT_EQ(judged.of(Output::dv).figures.verdict, Verdict::failed);
    EXPECT_FALSE(judged.of(Output::dv).added_in_storage);
    run.add(0, 32, 1);
    for (const Output output : {Output::dk, Output::dv}) {
      double& x = tensor_of(*run.outputs, output).row(0, 0, 17)[3];
      const double before = x,
                   size = std::abs(*std::max_element(run.outputs->dv.values.begin(), run.outputs->dv.values.end()));
      x += 0.3 * size;
      EXPECT_EQ(run.judge().of(output).figures.verdict, Verdict::failed) << name_of(output);
      x = before;
    }
  }
}

// Only 16-bit sums are forgiven: in fp32 the same errors are mistakes.
TEST(TheirRoundings, WiderTypesAreNotForgivenSumsIn16Bit) {
  AddedHeadByHead run(ElementType::f32, 32);
  for (double& x : run.outputs->dv.values) x = round_to(ElementType::bf16, x);
  EXPECT_EQ(run.judge().of(Output::dv).figures.verdict, Verdict::failed);
}

TheirRun with_large_d_o(double times) {
  TheirRun run(causal(24, ElementType::f16));
  for (double& x : run.inputs->d_o.values) x = round_to(ElementType::f16, x * times);
  *run.outputs = baseline(run.problem, *run.inputs, Weights::rounded_to_16_bit);
  for (const Output output : {Output::dq, Output::dk, Output::dv}) {
    for (double& x : tensor_of(*run.outputs, output).values) x = round_to(ElementType::f16, x);
  }
  return run;
}

TEST(TheirRoundings, ARightGradientBeyondF16IsInfiniteAndSaidSo) {
  TheirRun run = with_large_d_o(1.5e4);
  const auto infinite = std::count_if(run.outputs->dv.values.begin(), run.outputs->dv.values.end(),
                                      [](double x) { return std::isinf(x); });
  ASSERT_GT(infinite, 0);
  Judged judged = run.judge();
  EXPECT_EQ(judged.of(Output::dv).figures.verdict, Verdict::passed);
  EXPECT_EQ(judged.of(Output::dv).overflows, infinite);
  EXPECT_THAT(weak_sides(judged), Contains(testing::AllOf(HasSubstr(std::to_string(infinite) + " values overflow f16"),
                                                          HasSubstr("> 65504"))));

  double& x = *std::find_if(run.outputs->dv.values.begin(), run.outputs->dv.values.end(),
                            [](double value) { return std::isinf(value); });
  for (const double wrong : {-x, std::nan(""), std::copysign(3e4, x)}) {
    const double before = x;
    x = wrong;
    EXPECT_EQ(run.judge().of(Output::dv).figures.verdict, Verdict::failed) << wrong;
    x = before;
  }
  double& small = *std::find_if(run.outputs->dv.values.begin(), run.outputs->dv.values.end(),
                                [](double value) { return std::abs(value) < 5e4; });
  small = std::copysign(std::numeric_limits<double>::infinity(), small);
  EXPECT_EQ(run.judge().of(Output::dv).figures.nonfinite, 1);
}

// A type that holds them is asked for numbers.
TEST(TheirRoundings, InfinityIsWrongInATypeThatHoldsTheValue) {
  TheirRun run = with_large_d_o(1.5e4);
  Foreign f = run.foreign();
  f.outputs[static_cast<std::size_t>(Output::dv)].type = ElementType::f32;
  EXPECT_EQ(judge_foreign(f, {}).of(Output::dv).figures.verdict, Verdict::failed);
}

// A flash kernel in fp8 rounds P to e4m3 where it meets V.
TheirRun with_weights_in_e4m3(std::int64_t rows) {
  Problem p = causal(rows, ElementType::e4m3);
  p.direction = Direction::forward;
  TheirRun run(p);
  Mistake rounding;
  rounding.weight = [](double weight) { return round_to(ElementType::e4m3, weight); };
  *run.outputs = what_if(p, *run.inputs, rounding);
  for (double& x : run.outputs->o.values) x = round_to(ElementType::bf16, x);
  return run;
}

// P is rounded after it was divided by its sum.
void round_after_softmax(TheirRun& run) {
  const Problem& p = run.problem;
  const Inputs& x = *run.inputs;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads_q; ++h) {
      for (std::int64_t i = 0; i < p.len_q; ++i) {
        std::vector<double> o(static_cast<std::size_t>(p.dim_v));
        for (std::int64_t j = 0; j <= i; ++j) {
          const double* q = x.q.row(b, h, i);
          const double* k = x.k.row(b, h / p.group(), j);
          const double s = p.scale() * std::inner_product(q, q + p.dim_qk, k, 0.0);
          const double weight = round_to(ElementType::e4m3, std::exp(s - *run.outputs->lse.row(b, h, i)));
          for (std::size_t d = 0; d < o.size(); ++d) o[d] += weight * x.v.row(b, h / p.group(), j)[d];
        }
        for (std::size_t d = 0; d < o.size(); ++d) run.outputs->o.row(b, h, i)[d] = round_to(ElementType::bf16, o[d]);
      }
    }
  }
}

TEST(TheirRoundings, WeightsRoundedToE4m3AreRight) {
  for (const std::int64_t rows : {1, 2, 3, 5, 8, 13, 48, 150}) {
    for (const bool softmax_first : {false, true}) {
      TheirRun run = with_weights_in_e4m3(rows);
      if (softmax_first) round_after_softmax(run);
      const Judged judged = run.judge();
      EXPECT_EQ(judged.verdict(), Verdict::passed) << rows << judged.mistrust.value_or("");
      for (const double reach : judged.of(Output::o).row_reach) EXPECT_LE(reach, 1) << rows;
    }
  }
}

TEST(TheirRoundings, MistakesInE4m3AreStillSeen) {
  TheirRun run = with_weights_in_e4m3(48);
  const auto fails = [&](const char* what) {
    EXPECT_EQ(run.judge().of(Output::o).figures.verdict, Verdict::failed) << what;
    *run.outputs = *with_weights_in_e4m3(48).outputs;
  };
  std::copy_n(run.outputs->o.row(0, 1, 30), run.problem.dim_v, run.outputs->o.row(0, 1, 31));
  fails("one row is its neighbour's");
  for (double& x : run.outputs->o.values) x *= 1.25;
  fails("a quarter too large");
  Problem wrong = run.problem;
  wrong.mask = {};
  run.outputs->o = oracle<double>(wrong, *run.inputs).o;
  fails("not causal");
  wrong = run.problem;
  wrong.terms.scale = 1 / 16.0;
  run.outputs->o = oracle<double>(wrong, *run.inputs).o;
  fails("another scale");
}

TEST(Mistrust, OOfConstantVAloneIsNoPass) {
  Problem p = causal(20);
  p.direction = Direction::forward;
  TheirRun run(p);
  for (double& x : run.inputs->v.values) x = 3;
  for (double& x : run.outputs->o.values) x = 3;
  EXPECT_EQ(run.judge().verdict(), Verdict::passed);  // lse shows the weights
  Foreign f = run.foreign();
  f.outputs[static_cast<std::size_t>(Output::lse)] = {};
  const Judged judged = judge_foreign(f, {});
  EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
  EXPECT_THAT(judged.mistrust.value_or(""), HasSubstr("o is v whatever the weights"));
}

TEST(Mistrust, OOfConstantVShowsTheWeightsBesideASinkOrDropout) {
  for (const bool sink : {true, false}) {
    Problem p = causal(20);
    p.direction = Direction::forward;
    p.terms.sink_logit = sink, p.terms.dropout = sink ? 0 : 0.2;
    TheirRun run(p);
    for (double& x : run.inputs->v.values) x = 3;
    *run.outputs = oracle<double>(p, *run.inputs);
    Foreign f = run.foreign();
    f.outputs[static_cast<std::size_t>(Output::lse)] = {};
    EXPECT_EQ(judge_foreign(f, {}).verdict(), Verdict::passed) << sink;
  }
}

}  // namespace
}  // namespace ringscope
