#include "core/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/judge.h"
#include "tests/core/problems.h"
#include "tests/core/tiled_attention.h"

namespace ringscope {
namespace {

constexpr ElementType all_types[] = {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16,
                                     ElementType::e4m3};
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

Problem causal(ElementType type) {
  return {.batch = 2, .heads_q = 4, .heads_kv = 2, .len_q = 48, .len_kv = 48, .type = type, .mask = {.causal = true}};
}

// A right run and its reference, to plant faults in.
struct Trial {
  Problem problem;
  Reference reference;
  Outputs outputs;
  explicit Trial(Problem p, Fill fill = Fill::random, std::uint64_t seed = 1)
      : problem(std::move(p)),
        reference(make_reference(problem, fill, seed)),
        outputs(problem.terms == ScoreTerms{} ? tiled_attention(problem, reference.inputs)
                                              : baseline(problem, reference.inputs, Weights::kept)) {}
  Report report() const { return compare(problem, reference, outputs); }
};

void expect_failure(const Trial& run, const char* check, Output output, std::int64_t batch, std::int64_t head,
                    std::int64_t row) {
  const Report report = run.report();
  EXPECT_EQ(report.verdict, Verdict::failed);
  ASSERT_TRUE(report.where) << report.reason;
  EXPECT_EQ(report.where->check, check);
  EXPECT_EQ(report.where->output, output);
  EXPECT_EQ(report.where->batch, batch);
  EXPECT_EQ(report.where->head, head);
  EXPECT_EQ(report.where->row, row);
  EXPECT_EQ(report.of(output).verdict, Verdict::failed);
  EXPECT_FALSE(report.reason.empty());
}

TEST(Compare, RightKernelsPassInEveryTypeMaskAndFill) {
  for (const auto& [name, base] : masked_problems()) {
    for (const ElementType type : all_types) {
      for (const FillInfo& fill : fills()) {
        Problem p = base;
        p.type = type;
        if (!refusal(p, fill.fill)) {
          const Report report = Trial(p, fill.fill).report();
          EXPECT_EQ(report.verdict, Verdict::passed)
              << name << ' ' << name_of(type) << ' ' << fill.name << ": " << report.reason;
        }
      }
    }
  }
}

TEST(Compare, RightKernelsPassOverSeedsAndSizes) {
  for (const ElementType type : all_types) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Problem p = causal(type);
      p.batch = 1;
      p.len_q = p.len_kv = 2 + static_cast<std::int64_t>(seed) * 2;
      p.dim_qk = 2 + static_cast<std::int64_t>(seed % 5);
      p.dim_v = 2 + static_cast<std::int64_t>(seed % 3);
      const Report report = Trial(p, Fill::random, seed).report();
      EXPECT_EQ(report.verdict, Verdict::passed) << name_of(type) << " seed " << seed << ": " << report.reason;
    }
  }
}

TEST(Compare, FiguresOfARightRunAreFilled) {
  const Report report = Trial(causal(ElementType::f32)).report();
  for (int n = 0; n < output_kinds; ++n) {
    const Figures& f = report.figures[static_cast<std::size_t>(n)];
    EXPECT_TRUE(f.present);
    EXPECT_GT(f.ratio, 0);
    EXPECT_GE(f.peak_ratio, f.ratio / 4);
    EXPECT_LT(f.rel_fro, 1e-5);
    EXPECT_GT(f.max_abs, 0);
  }
  EXPECT_FALSE(report.where);
}

TEST(Compare, ForwardAloneHasNoGradientFigures) {
  Problem p = causal(ElementType::f32);
  p.direction = Direction::forward;
  const Reference reference = make_reference(p, Fill::random, 1);
  const Report report = compare(p, reference, baseline(p, reference.inputs, Weights::kept));
  EXPECT_EQ(report.verdict, Verdict::passed);
  EXPECT_TRUE(report.of(Output::lse).present);
  EXPECT_FALSE(report.of(Output::dv).present);
}

// In f32, a single row of a random problem is seen when its weights sum to 1 - 1/1000: every row, and long ones too.
void expect_lost_weight_is_seen(std::int64_t length, std::int64_t dim, std::int64_t step) {
  Problem p = causal(ElementType::f32);
  p.batch = 1, p.heads_q = 2, p.heads_kv = 1, p.len_q = p.len_kv = length, p.dim_qk = p.dim_v = dim;
  p.direction = Direction::forward;
  Reference reference = make_reference(p, Fill::random, 1);
  const Outputs right = baseline(p, reference.inputs, Weights::kept);
  for (std::int64_t i = 0; i < length; i += step) {
    Outputs outputs = right;
    for (std::int64_t d = 0; d < dim; ++d)
      outputs.o.row(0, 1, i)[d] = round_to(p.type, right.o.row(0, 1, i)[d] * 0.999);
    const Report lost = compare(p, reference, outputs);
    ASSERT_TRUE(lost.where) << "row " << i;
    EXPECT_EQ(lost.where->output, Output::o);
    EXPECT_EQ(lost.where->row, i);
    EXPECT_GT(lost.of(Output::o).peak_ratio, 5);
    outputs = right;
    *outputs.lse.row(0, 1, i) += std::log(0.999);
    const Report short_sum = compare(p, reference, outputs);
    ASSERT_TRUE(short_sum.where) << "row " << i;
    EXPECT_EQ(short_sum.where->output, Output::lse);
    EXPECT_EQ(short_sum.where->row, i);
  }
}

TEST(Compare, ARowThatLosesAThousandthOfItsWeightIsSeen) {
  expect_lost_weight_is_seen(96, 64, 1);
  expect_lost_weight_is_seen(512, 128, 73);
}

TEST(Compare, OneElementOffIsSeenAndPlaced) {
  for (const ElementType type : all_types) {
    Trial run(causal(type));
    double& o = run.outputs.o.row(1, 2, 31)[7];
    o += (type == ElementType::f32 ? 256 : 16) * ulp(output_type(type), 0.5);  // spread over 16 elements
    const char* check = type == ElementType::f64 ? "bounds" : "baseline";
    if (type == ElementType::f64) o += 1e-10;
    expect_failure(run, check, Output::o, 1, 2, 31);
  }
}

TEST(Compare, OneRowFromItsNeighbourIsSeen) {
  for (const ElementType type : all_types) {
    Trial run(causal(type));
    std::copy_n(run.outputs.dv.row(0, 1, 12), run.problem.dim_v, run.outputs.dv.row(0, 1, 11));
    expect_failure(run, type == ElementType::f64 ? "bounds" : "baseline", Output::dv, 0, 1, 11);
  }
}

TEST(Compare, LseInBaseTwoIsSeen) {
  for (const ElementType type : all_types) {
    Trial run(causal(type));
    for (double& x : run.outputs.lse.values) x /= std::log(2.0);
    const Report report = run.report();
    EXPECT_EQ(report.verdict, Verdict::failed);
    EXPECT_EQ(report.where->output, Output::lse);
    EXPECT_EQ(report.of(Output::o).verdict, Verdict::passed);
    EXPECT_GT(report.of(Output::lse).ratio, 100);
  }
}

TEST(Compare, DkWithoutTheScaleIsSeen) {
  for (const ElementType type : all_types) {
    Trial run(causal(type));
    for (double& x : run.outputs.dk.values) x /= run.problem.scale();
    const Report report = run.report();
    EXPECT_EQ(report.verdict, Verdict::failed);
    EXPECT_EQ(report.where->output, Output::dk);
    EXPECT_GT(report.of(Output::dk).ratio, 20);
  }
}

TEST(Compare, NanIsCountedAndPlaced) {
  Trial run(causal(ElementType::bf16));
  run.outputs.dq.row(1, 0, 5)[3] = nan_value;
  expect_failure(run, "baseline", Output::dq, 1, 0, 5);
  EXPECT_EQ(run.report().of(Output::dq).nonfinite, 1);
  EXPECT_LT(run.report().of(Output::dq).max_abs, 1);
}

TEST(Compare, EmptyRowsMustHaveLseMinusInfinity) {
  Problem p = causal(ElementType::f32);
  p.len_q = 50;  // rows 0 and 1 see nothing
  for (const double wrong : {0.0, nan_value, -1e30, std::numeric_limits<double>::infinity()}) {
    Trial run(p);
    EXPECT_EQ(run.report().verdict, Verdict::passed);
    *run.outputs.lse.row(0, 1, 1) = wrong;
    expect_failure(run, "baseline", Output::lse, 0, 1, 1);
    EXPECT_EQ(run.report().of(Output::lse).nonfinite, 1);
  }
  Trial run(p);
  run.outputs.o.row(1, 0, 0)[2] = 1e-6;
  expect_failure(run, "baseline", Output::o, 1, 0, 0);
}

// The state travels in the storage type: eight roundings where there should be one.
TEST(Compare, PartialsRoundedToBf16AreSeenInF32) {
  Trial run(causal(ElementType::f32));
  for (double& x : run.outputs.o.values) x = round_to(ElementType::bf16, x);
  EXPECT_EQ(run.report().verdict, Verdict::failed);
  EXPECT_GT(run.report().of(Output::o).ratio, 100);
}

TEST(Compare, EightRoundingsOfBf16InsteadOfOneAreSeen) {
  Trial run(causal(ElementType::bf16));
  const Outputs exact = run.reference.oracle;
  for (std::size_t n = 0; n < exact.o.values.size(); ++n) {
    double sum = 0;  // eight partials of about equal size, the running sum rounded each time
    for (int part = 1; part <= 8; ++part) {
      sum = round_to(ElementType::bf16,
                     sum + exact.o.values[n] / 8 * (1 + 0.1 * std::sin(static_cast<double>(n + 7 * part))));
    }
    run.outputs.o.values[n] = sum;
  }
  EXPECT_GT(run.report().of(Output::o).ratio, 1);
}

TEST(Compare, AnExactFillForgivesNothing) {
  for (const ElementType type : all_types) {
    for (const Fill fill : {Fill::needle, Fill::uniform}) {
      Trial run(causal(type), fill);
      ASSERT_EQ(run.report().verdict, Verdict::passed) << run.report().reason;
      double& o = run.outputs.o.row(1, 3, 47)[0];
      o += ulp(output_type(type), o);
      expect_failure(run, "exact", Output::o, 1, 3, 47);
      EXPECT_GE(run.report().of(Output::o).peak_ratio, 1);
    }
  }
}

TEST(Compare, UniformAllowsLseOneUlpAndNotTwo) {
  Trial run(causal(ElementType::bf16), Fill::uniform);
  double& lse = *run.outputs.lse.row(0, 0, 9);
  const double right = std::log(10.0), step = ulp(ElementType::f32, right);
  lse = round_to(ElementType::f32, right) + step / 2;
  EXPECT_EQ(run.report().verdict, Verdict::passed);
  lse = round_to(ElementType::f32, right) + 2 * step;
  expect_failure(run, "exact", Output::lse, 0, 0, 9);
}

TEST(Compare, AKeyMetTwiceIsSeenByUniform) {
  Trial run(causal(ElementType::bf16), Fill::uniform);
  const double* v = run.reference.inputs.v.row(0, 0, 4);
  for (std::int64_t d = 0; d < run.problem.dim_v; ++d) {
    double& o = run.outputs.o.row(0, 1, 40)[d];
    o = round_to(ElementType::bf16, (o * 41 + v[d]) / 42);
  }
  expect_failure(run, "exact", Output::o, 0, 1, 40);
}

TEST(Compare, AWrongSinkGradientFailsByItsOwnName) {
  for (const ElementType type : all_types) {
    Problem p = causal(type);
    p.terms.sink_logit = true;
    Trial run(p);
    ASSERT_EQ(run.report().verdict, Verdict::passed) << run.report().reason;
    run.outputs.d_sink[2] *= 1.5;
    const Report report = run.report();
    EXPECT_EQ(report.verdict, Verdict::failed);
    EXPECT_EQ(report.where->check, "d_sink");
    EXPECT_EQ(report.where->head, 2);
    EXPECT_FALSE(report.where->output);
    run.outputs.d_sink.clear();
    EXPECT_EQ(run.report().verdict, Verdict::failed);
  }
}

TEST(Compare, AMissingOutputFails) {
  Trial run(causal(ElementType::f32));
  run.outputs.dk = Tensor();
  const Report report = run.report();
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.where->check, "shape");
}

TEST(Compare, MistrustsWhatCouldNotHaveFailed) {
  const auto mistrust = [](Problem p, Fill fill) { return make_reference(p, fill, 1).mistrust; };
  Problem nothing_seen = causal(ElementType::f32);
  nothing_seen.mask.offset = -100;
  EXPECT_TRUE(mistrust(nothing_seen, Fill::random));
  EXPECT_TRUE(mistrust(nothing_seen, Fill::uniform));
  EXPECT_FALSE(mistrust(nothing_seen, Fill::poison));  // NaN could have come through
  Problem no_score = causal(ElementType::f32);
  no_score.heads_q = no_score.heads_kv = no_score.batch = 1;
  no_score.mask = {};
  no_score.terms.scale = 0;
  EXPECT_TRUE(mistrust(no_score, Fill::random));    // all rows are the mean of V
  EXPECT_FALSE(mistrust(no_score, Fill::uniform));  // and here that is the point
  Problem noise = causal(ElementType::f32);
  noise.terms.scale = 1e8;  // scores of 1e8 are known to 8: no weight means anything
  EXPECT_TRUE(mistrust(noise, Fill::random));
  noise.type = ElementType::f64;
  EXPECT_FALSE(mistrust(noise, Fill::random));
  EXPECT_FALSE(mistrust(causal(ElementType::f32), Fill::random));
}

TEST(Compare, OneKeyOrOneRowIsNotMistrusted) {
  for (const ElementType type : all_types) {
    for (const FillInfo& fill : fills()) {
      for (const std::int64_t heads : {1, 4}) {
        Problem p{.heads_q = heads, .heads_kv = 1, .len_q = 1, .len_kv = 1, .type = type};
        EXPECT_FALSE(make_reference(p, fill.fill, 1).mistrust) << fill.name;
        p.len_q = 5;
        EXPECT_FALSE(make_reference(p, fill.fill, 1).mistrust) << fill.name;
      }
    }
  }
}

TEST(Compare, WhatSmallProblemsDrawIsNotMistrusted) {
  Problem all_dropped{.heads_q = 1, .heads_kv = 1, .len_q = 1, .len_kv = 1};
  all_dropped.terms.dropout = 0.999999;
  Trial trial(all_dropped);
  EXPECT_EQ(trial.report().verdict, Verdict::passed);
  trial.outputs.o.values[0] = 1e-3;  // a kernel that keeps the weight
  EXPECT_EQ(trial.report().verdict, Verdict::failed);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {  // both rows may find the same key
    Problem two_rows{.heads_q = 1, .heads_kv = 1, .len_q = 2, .len_kv = 2, .dim_qk = 4};
    EXPECT_FALSE(make_reference(two_rows, Fill::overflow, seed).mistrust);
  }
}

TEST(Compare, MistrustIsAVerdictAndAFailureOutranksIt) {
  Problem p = causal(ElementType::f32);
  p.mask.offset = -100;
  Trial run(p);
  EXPECT_EQ(run.report().verdict, Verdict::mistrusted);
  EXPECT_FALSE(run.report().reason.empty());
  run.outputs.o.values[0] = nan_value;
  EXPECT_EQ(run.report().verdict, Verdict::failed);
}

TEST(Compare, RowRatiosAreAboveOneInTheWrongRowsAlone) {
  for (const Fill fill : {Fill::random, Fill::needle}) {
    Trial run(causal(ElementType::f32), fill);
    const Shape shape = run.outputs.o.shape;
    run.outputs.o.row(0, 1, 3)[0] += 1;
    run.outputs.o.row(0, 1, 5)[0] = nan_value;
    const std::vector<double> ratios = row_ratios(run.problem, run.reference, Output::o, run.outputs);
    ASSERT_EQ(static_cast<std::int64_t>(ratios.size()), shape.batch * shape.heads * shape.rows);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const auto wrong = static_cast<std::size_t>(shape.rows);
      EXPECT_EQ(!(ratios[i] <= 1), i == wrong + 3 || i == wrong + 5) << i;
    }
  }
}

}  // namespace
}  // namespace ringscope
