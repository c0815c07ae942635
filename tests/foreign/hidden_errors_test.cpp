// Errors that the rule on whole tensors cannot see, since one head, row or value is far larger than the rest.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "core/foreign/first_wrong.h"
#include "core/foreign/mistrust.h"
#include "tests/core/problems.h"
#include "tests/foreign/their_run.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;

struct Hiding {
  std::string name;
  std::function<void(Inputs&)> make;  // spoils the judgement of batch 0, head 0, row 9 or batch 1
  std::vector<Output> hidden;         // the outputs in which other heads or rows are then judged leniently
};

void fill_row(double* row, std::int64_t dim, double value) {
  for (std::int64_t d = 0; d < dim; ++d) row[d] = d % 2 == 0 ? value : -value;
}

// What fits each storage type: f16 ends at 65504.
std::vector<Hiding> hidings(ElementType type) {
  const double huge = type == ElementType::f16 ? 6e4 : 1e9, huge_v = type == ElementType::f16 ? 6e4 : 1e30;
  const double large = type == ElementType::f16 ? 6e3 : 1e9;
  return {
      {"a huge query row",
       [=](Inputs& x) { fill_row(x.q.row(0, 0, 9), x.q.shape.dim, huge); },
       {Output::o, Output::lse, Output::dq, Output::dk, Output::dv}},
      {"a huge element of V", [=](Inputs& x) { x.v.row(1, 0, 0)[3] = huge_v; }, {Output::o}},
      {"a huge row of dO",
       [=](Inputs& x) { fill_row(x.d_o.row(1, 1, 9), x.d_o.shape.dim, large); },
       {Output::dq, Output::dk, Output::dv}},
  };
}

TheirRun run_of(const Hiding& hiding, ElementType type) {
  TheirRun run(causal(60, type));
  hiding.make(*run.inputs);
  for (Tensor* t : {&run.inputs->q, &run.inputs->v, &run.inputs->d_o}) {
    for (double& x : t->values) x = round_to(type, x);
  }
  *run.outputs = baseline(run.problem, *run.inputs, Weights::rounded_to_16_bit);
  return run;
}

Tensor& tensor_of_run(TheirRun& run, Output output) {
  Tensor* tensors[] = {&run.outputs->o, &run.outputs->lse, &run.outputs->dq, &run.outputs->dk, &run.outputs->dv};
  return *tensors[static_cast<int>(output)];
}

constexpr ElementType types[] = {ElementType::f32, ElementType::bf16, ElementType::f16};

TEST(HiddenErrors, RightOutputsStayRightBesideHugeValues) {
  for (const ElementType type : types) {
    for (const Hiding& hiding : hidings(type)) {
      const Judged judged = run_of(hiding, type).judge();
      EXPECT_EQ(judged.verdict(), Verdict::passed)
          << hiding.name << " " << name_of(type) << judged.mistrust.value_or("");
    }
  }
}

// Below the least normal number of f16 roundings are absolute.
TEST(HiddenErrors, TinyHeadsThatRoundToSubnormalNumbersStayRight) {
  for (const double tiny : {1e-3, 1e-5, 1e-6, 1e-7}) {
    TheirRun run(causal(60, ElementType::f16));
    for (Tensor* t : {&run.inputs->v, &run.inputs->d_o}) {
      for (std::int64_t h = 0; h < t->shape.heads / 2; ++h) {
        double* head = t->row(0, h, 0);
        for (std::int64_t n = 0; n < t->shape.rows * t->shape.dim; ++n) {
          head[n] = round_to(ElementType::f16, tiny * head[n]);
        }
      }
    }
    *run.outputs = baseline(run.problem, *run.inputs, Weights::rounded_to_16_bit);
    const Judged judged = run.judge();
    EXPECT_EQ(judged.verdict(), Verdict::passed) << tiny << " " << judged.mistrust.value_or("");
  }
}

// Rows, channels and heads of sizes from 1/1000 to 1000, in every tensor.
TEST(HiddenErrors, RightOutputsOfUnevenDataStayWithinReach) {
  std::vector<NamedProblem> problems = masked_problems();
  for (NamedProblem& p : problems_with_terms()) problems.push_back(std::move(p));
  std::uint64_t seed = 1;
  for (auto& [name, p] : problems) {
    for (const ElementType type : types) {
      p.type = type;
      TheirRun run(p);
      for (Tensor* t : {&run.inputs->q, &run.inputs->k, &run.inputs->v, &run.inputs->d_o}) {
        const auto size = [&] {
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          return std::pow(10.0, static_cast<double>(seed >> 40) / 0x1p24 * 3 - 1.5);
        };
        std::vector<double> channels;
        for (std::int64_t d = 0; d < t->shape.dim; ++d) channels.push_back(size());
        for (std::int64_t n = 0; n < t->shape.batch * t->shape.heads * t->shape.rows; ++n) {
          const double row = size();
          for (std::int64_t d = 0; d < t->shape.dim; ++d) {
            double& x = t->values[static_cast<std::size_t>(n * t->shape.dim + d)];
            x = round_to(type, x * row * channels[static_cast<std::size_t>(d)]);
          }
        }
      }
      for (const Weights weights : {Weights::kept, Weights::rounded_to_16_bit}) {
        *run.outputs = baseline(p, *run.inputs, weights);
        const Judged judged = run.judge();
        EXPECT_FALSE(judged.mistrust) << name << " " << *judged.mistrust;
        for (const JudgedOutput& output : judged.outputs) {
          for (const double reach : output.row_reach) ASSERT_LE(reach, 1) << name << " " << name_of(type);
          EXPECT_FALSE(output.hidden) << name << " " << name_of(type);
        }
      }
    }
  }
}

// Row 20 of the last head of batch 0 is another one's: no rule on the whole tensor sees it.
TEST(HiddenErrors, AWrongRowOfAnotherHeadFails) {
  for (const ElementType type : types) {
    for (const Hiding& hiding : hidings(type)) {
      for (const Output output : hiding.hidden) {
        TheirRun run = run_of(hiding, type);
        Tensor& t = tensor_of_run(run, output);
        const std::int64_t head = t.shape.heads - 1;
        for (std::int64_t d = 0; d < t.shape.dim; ++d) t.row(0, head, 20)[d] = t.row(0, head, 5)[d] + 0.5;
        const Judged judged = run.judge();
        const std::string what = hiding.name + ", " + std::string(name_of(output)) + ", " + std::string(name_of(type));
        ASSERT_EQ(judged.verdict(), Verdict::failed) << what;
        ASSERT_EQ(judged.first_wrong(), output) << what;
        const JudgedOutput& wrong = judged.of(output);
        EXPECT_EQ(wrong.wrong->batch, 0) << what;
        EXPECT_EQ(wrong.wrong->head, head) << what;
        EXPECT_EQ(wrong.wrong->row, 20) << what;
        EXPECT_EQ(wrong.wrong->count, 1) << what;
        if (wrong.figures.ratio > most_ratio || wrong.figures.peak_ratio > most_peak_ratio) continue;
        ASSERT_TRUE(wrong.hidden) << what;
        EXPECT_EQ(wrong.hidden->head, head) << what;
      }
    }
  }
}

TEST(HiddenErrors, TheRuleOnTheWholeAloneWouldHavePassed) {
  for (const ElementType type : types) {
    const Hiding hiding = hidings(type)[1];
    TheirRun run = run_of(hiding, type);
    for (std::int64_t h = 0; h < 4; ++h) fill_row(run.outputs->o.row(0, h, 30), run.problem.dim_v, 3);
    const Judged judged = run.judge();
    EXPECT_LT(judged.of(Output::o).figures.ratio, most_ratio);
    EXPECT_LT(judged.of(Output::o).figures.peak_ratio, most_peak_ratio);
    EXPECT_EQ(judged.of(Output::o).wrong->count, 4);
    EXPECT_EQ(judged.verdict(), Verdict::failed);
  }
}

TEST(HiddenErrors, AWrongRowOfTheSameHeadFails) {
  TheirRun run = run_of(hidings(ElementType::f32)[0], ElementType::f32);
  fill_row(run.outputs->o.row(0, 0, 40), run.problem.dim_v, 0.5);
  const Judged judged = run.judge();
  ASSERT_EQ(judged.first_wrong(), Output::o);
  EXPECT_EQ(judged.of(Output::o).wrong->row, 40);
  EXPECT_TRUE(judged.of(Output::o).wrong->sharp);
}

// With gradients, dO V overflows fp32 and no kernel can be right.
TEST(HiddenErrors, AnElementOfVNearTheLargestNumberHidesNothingForward) {
  Problem p = causal(60);
  p.direction = Direction::forward;
  TheirRun run(p);
  run.inputs->v.row(1, 0, 0)[3] = 3e38;
  *run.outputs = baseline(p, *run.inputs, Weights::kept);
  EXPECT_EQ(run.judge().verdict(), Verdict::passed);
  run.outputs->o.row(0, 1, 33)[4] += 0.01;
  ASSERT_EQ(run.judge().first_wrong(), Output::o);
  EXPECT_EQ(run.judge().of(Output::o).wrong->row, 33);
}

// Another channel of the same rows: values are compared element by element.
TEST(HiddenErrors, AWrongChannelBesideAnOutlierChannelFails) {
  TheirRun run(causal(60));
  for (std::int64_t j = 0; j < 60; ++j) run.inputs->v.row(0, 0, j)[3] *= 1e6;
  *run.outputs = baseline(run.problem, *run.inputs, Weights::kept);
  EXPECT_EQ(run.judge().verdict(), Verdict::passed);
  run.outputs->o.row(0, 1, 33)[4] += 0.01;
  const Judged judged = run.judge();
  ASSERT_EQ(judged.first_wrong(), Output::o);
  EXPECT_EQ(judged.of(Output::o).wrong->row, 33);
}

TEST(HiddenErrors, AHeadThatErrsMoreThanARightKernelButLittleIsMistrusted) {
  TheirRun run = run_of(hidings(ElementType::f32)[1], ElementType::f32);
  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::int64_t d = 0; d < run.problem.dim_v; ++d) run.outputs->o.row(0, 2, i)[d] *= 1 + 6e-5;
  }
  const Judged judged = run.judge();
  EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
  EXPECT_FALSE(judged.first_wrong());
  EXPECT_EQ(judged.of(Output::o).figures.verdict, Verdict::mistrusted);
  EXPECT_EQ(judged.of(Output::o).wrong->head, 2);
  ASSERT_TRUE(judged.mistrust);
  EXPECT_THAT(*judged.mistrust, HasSubstr("o of batch 0, head 2, judged alone"));
}

TEST(Mistrust, NoPairIsNoPass) {
  Problem p = causal(20);
  p.mask.kv_lens = {0, 0};
  const Judged judged = TheirRun(p).judge();
  EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
  EXPECT_THAT(*judged.mistrust, HasSubstr("no query may see any key"));
  p.mask.kv_lens = {0, 1};
  EXPECT_EQ(TheirRun(p).judge().verdict(), Verdict::passed);
}

TEST(Mistrust, NothingButNanIsNoPass) {
  for (const bool lse_too : {true, false}) {
    TheirRun run(causal(20));
    for (Tensor* t : {&run.inputs->q, &run.inputs->k, &run.inputs->v, &run.outputs->o, &run.outputs->lse,
                      &run.outputs->dq, &run.outputs->dk, &run.outputs->dv}) {
      for (double& x : t->values) x = std::nan("");
    }
    Foreign f = run.foreign();
    if (!lse_too) f.outputs[1] = {};
    const Judged judged = judge_foreign(f, {});
    EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
    EXPECT_THAT(judged.mistrust.value_or(""), HasSubstr("NaN"));
  }
}

TEST(Mistrust, SomeNanIsANote) {
  TheirRun run(causal(20));
  for (double& x : run.inputs->v.values) x = x > 2 ? std::nan("") : x;
  run.inputs->v.row(0, 1, 3)[5] = std::nan("");
  for (std::int64_t r = 0; r < 20; ++r) std::fill_n(run.inputs->v.row(0, 0, r), run.problem.dim_v, 1 + 0.1 * r);
  for (std::int64_t r = 0; r < 3; ++r) std::fill_n(run.inputs->v.row(0, 1, r), run.problem.dim_v, 1);
  std::fill_n(run.inputs->v.row(0, 1, 3), 5, 1);
  *run.outputs = oracle<double>(run.problem, *run.inputs);
  const Judged judged = run.judge();
  EXPECT_THAT(weak_sides(judged), ::testing::Contains(::testing::AllOf(
                                      HasSubstr("v holds "), HasSubstr("batch 0, head 1, row 3, element 5"))));
  EXPECT_NE(judged.verdict(), Verdict::mistrusted);
  EXPECT_THAT(weak_sides(judged), ::testing::Contains(HasSubstr("elements of o are NaN or infinite")));
}

TEST(Mistrust, ZerosThatWouldPassAreNoPass) {
  TheirRun run(causal(20));
  for (Tensor* t : {&run.inputs->q, &run.inputs->k, &run.inputs->v}) std::fill(t->values.begin(), t->values.end(), 0.0);
  *run.outputs = oracle<double>(run.problem, *run.inputs);
  Judged judged = run.judge();  // lse is log(1 + row), dv is not 0
  EXPECT_EQ(judged.verdict(), Verdict::passed);
  EXPECT_THAT(weak_sides(judged), ::testing::Contains(HasSubstr("v is 0 everywhere")));
  EXPECT_THAT(weak_sides(judged), ::testing::Contains(HasSubstr("zeros instead of o, dq, dk would pass")));

  Foreign f = run.foreign();
  f.outputs[1] = {}, f.outputs[4] = {};
  judged = judge_foreign(f, {});
  EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
  EXPECT_THAT(*judged.mistrust, HasSubstr("zeros instead of o, dq, dk would pass"));
}

TEST(Mistrust, ScoresThatRoundingDecidesTestNothing) {
  Problem p = causal(20);
  p.direction = Direction::forward;
  TheirRun run(p);
  for (double& x : run.inputs->q.values) x *= 1e9;
  *run.outputs = oracle<double>(p, *run.inputs);
  Foreign f = run.foreign();
  f.outputs[1] = {};
  const Judged judged = judge_foreign(f, {});
  EXPECT_EQ(judged.verdict(), Verdict::mistrusted);
  EXPECT_THAT(judged.mistrust.value_or(""), HasSubstr("where rounding decides which key wins"));
}

}  // namespace
}  // namespace ringscope
