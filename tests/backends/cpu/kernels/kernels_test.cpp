// What every kernel must do, whatever its inner order.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/cpu/parallel.h"
#include "core/layout.h"
#include "tests/backends/cpu/kernels/whole_attention.h"

namespace ringscope::cpu {
namespace {

// Every sum of n terms is off by at most n u times the sum of the terms' sizes (Higham 2002, section 4.2); a weight
// takes on the error of its score, u |s| with |s| < 16 here. Twice that, for the products on the way.
template <class Real>
double tolerance(const Problem& p) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  return 2 * u * static_cast<double>(p.dim_qk + p.dim_v + p.len_q * p.group() + p.len_kv + 16 * p.dim_qk);
}

void expect_near(const char* what, const Tensor& got, const Tensor& want, const Tensor& magnitude, double tolerance) {
  ASSERT_EQ(got.shape, want.shape);
  for (std::size_t n = 0; n < got.values.size(); ++n) {
    if (got.values[n] == want.values[n]) continue;  // -inf too
    ASSERT_LE(std::abs(got.values[n] - want.values[n]), tolerance * magnitude.values[n])
        << what << " element " << n << " is " << got.values[n] << ", want " << want.values[n];
  }
}

void expect_near(const Outputs& got, const Dense& want, double tolerance) {
  expect_near("o", got.o, want.value.o, want.magnitude.o, tolerance);
  expect_near("lse", got.lse, want.value.lse, want.magnitude.lse, tolerance);
  expect_near("dq", got.dq, want.value.dq, want.magnitude.dq, tolerance);
  expect_near("dk", got.dk, want.value.dk, want.magnitude.dk, tolerance);
  expect_near("dv", got.dv, want.value.dv, want.magnitude.dv, tolerance);
}

Problem small_problem(std::int64_t len_q, std::int64_t len_kv) {
  Problem p;
  p.batch = 2;
  p.heads_q = 6;
  p.heads_kv = 2;
  p.len_q = len_q;
  p.len_kv = len_kv;
  p.dim_qk = 5;
  p.dim_v = 3;
  return p;
}

std::vector<Problem> problems() {
  std::vector<Problem> out;
  const auto add = [&](std::int64_t len_q, std::int64_t len_kv, const Mask& mask, const ScoreTerms& terms = {}) {
    Problem p = small_problem(len_q, len_kv);
    p.mask = mask;
    p.terms = terms;
    out.push_back(p);
  };
  for (const std::int64_t len : {1, 2, 17, 35}) {
    add(len, len, {});
    add(len, len, {.causal = true});
  }
  add(33, 19, {.causal = true});
  add(19, 33, {.causal = true});
  add(33, 33, {.causal = true, .window = Window{5, 0}, .sinks = 2});
  add(33, 33, {.window = Window{4, 7}});
  add(33, 33, {.docs = {2, 9, 31}});
  add(33, 33, {.causal = true, .chunk = 7});
  add(33, 33, {.prefix = 12});
  add(20, 33, {.causal = true, .offset = -4, .kv_lens = {0, 23}});
  add(24, 24, {.causal = true}, {.scale = -0.7});
  add(24, 24, {.causal = true}, {.scale = 0.9, .softcap = 2});
  add(24, 31, {}, {.alibi = true});
  add(24, 24, {.causal = true}, {.dropout = 0.3});
  add(24, 24, {.window = Window{6, 2}}, {.softcap = 3, .alibi = true, .dropout = 0.5});
  return out;
}

std::vector<Cut> cuts() {
  return {{.layout = "contiguous", .ranks = 1},
          {.layout = "zigzag", .ranks = 3, .blocks_per_rank = 2, .kv_blocks_per_attend = 4},
          {.layout = "striped", .ranks = 5}};
}

class EveryKernel : public testing::TestWithParam<std::string_view> {
 protected:
  template <class Real>
  void expect_dense(const KernelOptions& options, bool poisoned) {
    const auto kernel = make_kernel<Real>(GetParam(), options);
    for (const Problem& p : problems()) {
      Inputs inputs = some_inputs(p);
      const Dense want = attend_dense(p, inputs);
      if (poisoned) poison_unseen_keys(p, inputs);
      for (const Cut& cut : cuts()) {
        SCOPED_TRACE(cut.layout + " of " + std::to_string(p.len_q) + " x " + std::to_string(p.len_kv));
        expect_near(attend_whole(*kernel, p, cut, inputs).outputs, want, tolerance<Real>(p));
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(EveryKernel, AgreesWithTheDenseReferenceInDouble) {
  expect_dense<double>({.tile = 8}, {});
}

TEST_P(EveryKernel, AgreesWithTheDenseReferenceInFloat) {
  expect_dense<float>({.tile = 16}, {});
}

TEST_P(EveryKernel, NeverTouchesKeysThatNoQuerySees) {
  expect_dense<double>({.tile = 16}, true);
  expect_dense<float>({.threads = 2, .tile = 64}, true);
}

TEST_P(EveryKernel, GivesEmptyRowsNothing) {
  Problem p = small_problem(9, 4);
  p.mask.causal = true;  // rows 0 .. 4 see no key
  const auto got = attend_whole(*make_kernel<float>(GetParam()), p, {}, some_inputs(p)).outputs;
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(got.lse.row(1, 3, i)[0], -std::numeric_limits<double>::infinity());
    for (std::int64_t d = 0; d < p.dim_v; ++d) EXPECT_EQ(got.o.row(1, 3, i)[d], 0);
    for (std::int64_t d = 0; d < p.dim_qk; ++d) EXPECT_EQ(got.dq.row(1, 3, i)[d], 0);
  }
}

TEST_P(EveryKernel, IsNotSilentAboutANanThatAQuerySees) {
  Problem p = small_problem(9, 9);
  p.mask.causal = true;
  Inputs inputs = some_inputs(p);
  inputs.k.row(0, 0, 4)[1] = std::numeric_limits<double>::quiet_NaN();
  const auto got = attend_whole(*make_kernel<double>(GetParam()), p, {}, inputs).outputs;
  EXPECT_TRUE(std::isnan(got.o.row(0, 0, 4)[0]));
  EXPECT_FALSE(std::isnan(got.o.row(1, 0, 4)[0]));
}

TEST_P(EveryKernel, DoesNotDependOnTheNumberOfThreads) {
  const Cut whole{.layout = "contiguous", .ranks = 1};
  for (const bool causal : {false, true}) {
    Problem p = small_problem(200, 200);
    p.batch = 1;
    p.heads_kv = 1;
    p.dim_qk = 9;
    p.mask.causal = causal;
    ASSERT_EQ(team_for(2, 6.0 * 200 * 200 * (9 + 3)), 2) << "too small for a team";
    const Inputs inputs = some_inputs(p);
    const auto one =
        attend_whole(*make_kernel<float>(GetParam(), {.threads = 1, .tile = 16}), p, whole, inputs).outputs;
    for (const int threads : {2, 4}) {
      const KernelOptions options{.threads = threads, .tile = 16};
      const auto got = attend_whole(*make_kernel<float>(GetParam(), options), p, whole, inputs).outputs;
      EXPECT_EQ(got.o.values, one.o.values);
      EXPECT_EQ(got.lse.values, one.lse.values);
      EXPECT_EQ(got.dq.values, one.dq.values);
      EXPECT_EQ(got.dk.values, one.dk.values);
      EXPECT_EQ(got.dv.values, one.dv.values);
    }
  }
}

// The check itself: a kernel that loses a thousandth of one key must not pass.
TEST(TheDenseReference, SeesAThousandthOfOneWeight) {
  const Problem p = small_problem(17, 17);
  const Inputs inputs = some_inputs(p);
  Inputs damaged = inputs;
  for (std::int64_t d = 0; d < p.dim_v; ++d) damaged.v.row(0, 0, 3)[d] *= 0.999;
  const auto got = attend_whole(*make_kernel<float>("naive"), p, {}, damaged).outputs;
  const Dense want = attend_dense(p, inputs);
  double worst = 0;
  for (std::size_t n = 0; n < got.o.values.size(); ++n) {
    worst = std::max(worst, std::abs(got.o.values[n] - want.value.o.values[n]) / want.magnitude.o.values[n]);
  }
  EXPECT_GT(worst, 2 * tolerance<float>(p));
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const KernelKind& kind : kernel_kinds()) names.push_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return std::string(kernel.param); });

}  // namespace
}  // namespace ringscope::cpu
