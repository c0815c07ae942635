#include <gtest/gtest.h>

#include <cmath>

#include "core/fill.h"
#include "core/judge.h"
#include "core/oracle.h"
#include "tests/core/problems.h"

namespace ringscope {
namespace {

double relative_error(const Tensor& got, const Tensor& want) {
  return measure(got, want).rel_fro;
}

TEST(Baseline, OutputsAreStoredInTheOutputType) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::f16, ElementType::e4m3}) {
    for (const auto& [name, base] : all_problems()) {
      Problem p = base;
      p.type = type;
      const Outputs out = baseline(p, make_inputs(p, Fill::random, 1), Weights::kept);
      for (const Tensor* t : {&out.o, &out.dq, &out.dk, &out.dv}) {
        for (const double v : t->values) ASSERT_EQ(round_to(output_type(type), v), v) << name;
      }
      for (const double v : out.lse.values) {
        if (std::isfinite(v)) {
          ASSERT_EQ(round_to(ElementType::f32, v), v) << name;
        }
      }
    }
  }
}

TEST(Baseline, ErrsByAFewRoundingsOfItsType) {
  for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::f16}) {
    Problem p{.heads_q = 2, .heads_kv = 1, .type = type, .mask = {.causal = true}};
    const Inputs x = make_inputs(p, Fill::random, 2);
    const Outputs want = oracle<double>(p, x), got = baseline(p, x, Weights::kept);
    const double u = unit_roundoff(type);
    for (auto output : {&Outputs::o, &Outputs::dq, &Outputs::dk, &Outputs::dv}) {
      const double error = relative_error(got.*output, want.*output);
      EXPECT_GT(error, u / 8) << name_of(type);
      EXPECT_LT(error, u * 8) << name_of(type);
    }
  }
}

TEST(Baseline, RoundedWeightsErrMoreIn16BitAndChangeNothingInF32) {
  Problem p{.heads_q = 2, .heads_kv = 1, .type = ElementType::bf16};
  const Inputs x = make_inputs(p, Fill::random, 2);
  const Outputs want = oracle<double>(p, x);
  const Outputs kept = baseline(p, x, Weights::kept), rounded = baseline(p, x, Weights::rounded_to_16_bit);
  EXPECT_GT(relative_error(rounded.dv, want.dv), 1.1 * relative_error(kept.dv, want.dv));
  p.type = ElementType::f32;
  EXPECT_EQ(baseline(p, x, Weights::kept).dv.values, baseline(p, x, Weights::rounded_to_16_bit).dv.values);
}

TEST(Baseline, SinkGradientIsThere) {
  Problem p;
  p.terms.sink_logit = true;
  const Inputs x = make_inputs(p, Fill::random, 2);
  const Outputs want = oracle<double>(p, x), got = baseline(p, x, Weights::kept);
  ASSERT_EQ(got.d_sink.size(), want.d_sink.size());
  for (std::size_t h = 0; h < want.d_sink.size(); ++h) EXPECT_NEAR(got.d_sink[h], want.d_sink[h], 1e-5);
}

}  // namespace
}  // namespace ringscope
