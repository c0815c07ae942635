#include "core/execute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "backends/registry/registry.h"
#include "core/rank_error.h"
#include "tests/backends/cpu/run_case.h"

namespace ringscope::cpu {
namespace {

// docs/design.md, numerics contract 3.
constexpr double f64_bound = 1e-13;

void expect_oracle(const std::string& line) {
  const Plan plan = plan_of(line);
  const Inputs inputs = random_inputs(plan.problem);
  const Outputs want = oracle<double>(plan.problem, inputs), magnitude = magnitudes(plan.problem, inputs);
  const Outputs got = run(plan, inputs).outputs;
  EXPECT_LE(largest_error(got, want, magnitude), f64_bound) << line;
  ASSERT_EQ(got.d_sink.size(), want.d_sink.size()) << line;
  for (std::size_t h = 0; h < got.d_sink.size(); ++h) {
    EXPECT_NEAR(got.d_sink[h], want.d_sink[h], 1e-12 * (1 + std::abs(want.d_sink[h]))) << line;
  }
}

TEST(Execute, IsTestedWithEveryScheduleAndStyle) {
  const auto lines = lines_of_every_schedule("b2 h6/2 s13 d6/5 f64 causal", "zigzag", {1, 2, 3, 5, 8});
  for (const ScheduleKind& kind : schedule_kinds()) {
    for (const BackwardStyle style : kind.styles) {
      const std::string name = std::string(kind.name), word = "backward=" + std::string(name_of(style));
      EXPECT_THAT(lines,
                  testing::Contains(testing::AllOf(testing::HasSubstr(" " + name + " "), testing::HasSubstr(word))))
          << name << " " << word;
    }
  }
  EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(" decode ")));
}

TEST(Execute, EveryScheduleComputesWhatTheOracleDoes) {
  for (const std::string& line : lines_of_every_schedule("b2 h6/2 s13 d6/5 f64 causal", "zigzag", {1, 2, 3, 5, 8})) {
    expect_oracle(line);
  }
}

TEST(Execute, EveryScheduleKnowsEveryScoreTerm) {
  const std::string problem = "b1 h6/2 s11 d6/5 f64 causal scale=0.7 softcap=3 alibi rope=10000 sink-logit dropout=0.3";
  for (const std::string& line : lines_of_every_schedule(problem, "striped", {1, 3, 4})) expect_oracle(line);
}

TEST(Execute, EveryScheduleManagesWithRanksWithoutRows) {
  for (const std::string& line : lines_of_every_schedule("b1 h6/2 s3x5 d4 f64", "contiguous", {5, 8})) {
    expect_oracle(line);
  }
}

TEST(Execute, ANaNThatARowSeesNeverBecomesANumber) {
  for (const std::string& recipe : lines_of_every_schedule("b1 h6/2 s13 d6/5 causal softcap=3", "zigzag", {1, 3, 5})) {
    for (const std::string kernel : {"naive", "bitwise tile=3", "eigen tile=3"}) {
      const Case c = parse_case(recipe + " | cpu:" + kernel);
      const Plan plan = make_plan(c.problem, c.recipe);
      Inputs inputs = random_inputs(plan.problem);
      for (const std::int64_t key : {0, 1, 2, 9}) inputs.k.row(0, 1, key)[4] = std::nan("");
      const Outputs want = oracle<double>(plan.problem, inputs);
      const Outputs got = execute(*make_backend(c.backend), plan, inputs).outputs;
      for (const auto tensor : output_tensors) {
        for (std::size_t n = 0; n < (want.*tensor).values.size(); ++n) {
          if (!std::isnan((want.*tensor).values[n])) continue;
          ASSERT_TRUE(std::isnan((got.*tensor).values[n])) << to_line(c);
        }
      }
    }
  }
}

TEST(Execute, PruneChangesNothing) {
  for (const std::string schedule : {"ring r5", "bidi r5", "double-ring r2x3", "usp r3x2"}) {
    for (const std::string style : {"home", "qside"}) {
      expect_oracle("b1 h6/2 s23 d6/5 f64 causal window=4,0 | contiguous " + schedule + " prune backward=" + style);
    }
  }
}

TEST(Execute, EveryStorageTypeIsRoundedOnceOnTheWayOut) {
  for (const std::string type : {"f32", "bf16", "f16", "e4m3"}) {
    const Plan plan = plan_of("b1 h4/2 s19 d8 causal " + type + " | zigzag ring r3");
    const Inputs inputs = random_inputs(plan.problem);
    const Outputs got = run(plan, inputs).outputs, want = oracle<double>(plan.problem, inputs);
    const ElementType out = output_type(plan.problem.type);
    for (const auto tensor : {&Outputs::o, &Outputs::dq, &Outputs::dk, &Outputs::dv}) {
      for (const double x : (got.*tensor).values) ASSERT_EQ(x, round_to(out, x)) << type;
    }
    // Sums of 19 terms in fp32 and one rounding: far from a wrong row, near enough for every right one.
    EXPECT_LE(largest_error(got, want, magnitudes(plan.problem, inputs)), 4 * unit_roundoff(out)) << type;
  }
}

TEST(Execute, RepeatsItsBits) {
  for (const std::string& line : lines_of_every_schedule("b1 h6/2 s21 d6 f32 causal sink-logit", "zigzag", {6})) {
    const Plan plan = plan_of(line);
    const Inputs inputs = random_inputs(plan.problem);
    const Outputs once = run(plan, inputs).outputs;
    for (int again = 0; again < 5; ++again) EXPECT_TRUE(same_bits(once, run(plan, inputs).outputs)) << line;
  }
}

TEST(Execute, LeavesItsInputsAlone) {
  const Plan plan = plan_of("b1 h6/2 s21 d6 f32 causal rope=10000 | zigzag ring r4");
  const Inputs inputs = random_inputs(plan.problem), before = inputs;
  run(plan, inputs);
  for (const auto tensor : {&Inputs::q, &Inputs::k, &Inputs::v, &Inputs::d_o}) {
    EXPECT_TRUE(same_bits((inputs.*tensor).values, (before.*tensor).values));
  }
}

TEST(Execute, ForwardAloneNeedsNoGradientAndGivesNone) {
  const Plan plan = plan_of("b1 h2 s9 d4 f64 fwd | zigzag ring r3");
  Inputs inputs = random_inputs(plan.problem);
  inputs.d_o = {};
  const Outputs got = run(plan, inputs).outputs;
  EXPECT_EQ(got.o.shape, plan.problem.shape_o());
  EXPECT_TRUE(got.dq.empty() && got.dk.empty() && got.dv.empty());
}

TEST(Execute, RowsThatNobodyBringsHomeStayNaN) {
  Plan plan = plan_of("b1 h2 s9 d4 f64 fwd | contiguous ring r3");
  std::erase_if(plan.schedule.finishes, [](const Finish& f) { return f.rank == 1; });
  for (StepBegin& step : plan.schedule.step_begin) {
    step.finish = std::min<std::int64_t>(step.finish, static_cast<std::int64_t>(plan.schedule.finishes.size()));
  }
  const Outputs got = run(plan, random_inputs(plan.problem)).outputs;
  for (std::int64_t row = 0; row < 9; ++row) EXPECT_EQ(std::isnan(got.o.row(0, 1, row)[0]), row / 3 == 1) << row;
}

TEST(Execute, ABlockThatIsNotThereIsNamedWithRankAndStep) {
  Plan plan = plan_of("b1 h2 s9 d4 f64 fwd | contiguous ring r3");
  const auto lost = std::ranges::find(plan.schedule.moves, 2, &Move::to);
  const Slice slice = lost->slice();
  plan.schedule.moves.erase(lost);
  for (StepBegin& step : plan.schedule.step_begin) {
    if (&step != &plan.schedule.step_begin.front()) --step.move;
  }
  try {
    run(plan, random_inputs(plan.problem));
    FAIL() << "ran without " << to_text(slice);
  } catch (const RankError& e) {
    EXPECT_EQ(e.kind, ErrorKind::unprovable);
    EXPECT_EQ(e.rank, 2);
    EXPECT_EQ(e.step, 1);
    EXPECT_EQ(e.slice.tensor, TensorKind::kv);
    EXPECT_EQ(e.slice.blocks, slice.blocks);
    EXPECT_THAT(e.what(), testing::HasSubstr("rank 2 step 1 KV b" + std::to_string(slice.blocks.first)));
  }
}

}  // namespace
}  // namespace ringscope::cpu
