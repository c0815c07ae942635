// The museum, hall of numerics: the right formula in too few bits (docs/museum.md, N1 to N12).
#include <gtest/gtest.h>

#include <algorithm>

#include "core/element_type.h"
#include "core/ulps.h"
#include "tests/catalogue/partials.h"

namespace ringscope {
namespace {

constexpr ElementType bf16 = ElementType::bf16;

// N1. exp(new - old) without a maximum, in fp32: the first step from -50 to +50 overflows.
TEST(Numerics, ExpOfNewLessOldOverflowsInFp32) {
  const Join naive = [](RowPartial& here, const RowPartial& from) {
    if (here.is_empty()) {
      here = from;
      return;
    }
    const float grown = std::exp(static_cast<float>(from.lse - here.lse));
    mix(here, from, grown / (1 + grown));
    here.lse += std::log(1 + grown);
  };
  const Exhibit e("b1 h2 s8 d4 f32 fwd | contiguous ring r2 | cpu | overflow");
  const std::vector<std::int64_t> begins = blocks_of(8, 1);
  e.expect_passes(merged(e, {.begins = begins}));
  e.expect_caught(merged(e, {.begins = begins, .join = naive}), "baseline", Output::o);
  const Exhibit ordinary("b1 h2 s8 d4 f32 fwd | contiguous ring r2");
  ordinary.expect_passes(merged(ordinary, {.begins = begins, .join = naive}));
}

// N2. exp(LSE) itself: past 709 not even fp64 holds it.
TEST(Numerics, ExpOfTheLseOverflowsEvenInFp64) {
  const Join naive = [](RowPartial& here, const RowPartial& from) {
    const double sum = std::exp(here.lse) + std::exp(from.lse);
    mix(here, from, std::exp(from.lse) / sum);
    here.lse = std::log(sum);
  };
  const Exhibit e("b1 h2 s8 d4 f64 fwd | contiguous ring r2 | cpu | overflow");
  const std::vector<std::int64_t> begins = blocks_of(8, 4);
  e.expect_passes(merged(e, {.begins = begins}));
  const Outputs wrong = merged(e, {.begins = begins, .join = naive});
  e.expect_caught(wrong, "bounds", Output::o);
  EXPECT_GT(e.judged(wrong).of(Output::o).nonfinite, 0);
}

// N2, the review: a step that works on half of the rows returns a new tensor, and its update is lost.
TEST(Numerics, AHalfRangeUpdateThatReturnsACopyIsLost) {
  const Exhibit e("b1 h2 s8 d4 f64 fwd causal | contiguous ring r2");
  const HandOver lose_the_second = [](RowPartial& partial, int block) {
    if (block == 1) partial = {.o = std::vector<double>(partial.o.size())};
  };
  const Outputs wrong = merged(e, {.begins = blocks_of(8, 4), .hand_over = lose_the_second});
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::o).row, 4);
}

HandOver rounds_partials_to(ElementType type) {
  return [type](RowPartial& partial, int) {
    for (double& x : partial.o) x = round_to(type, x);
  };
}

// The running output and LSE go back to 16 bits after each hop.
void join_in_16_bit(RowPartial& here, const RowPartial& from) {
  join_rightly(here, from);
  for (double& x : here.o) x = round_to(bf16, x);
}

// N3. Error over what is allowed must not grow with the ring.
TEST(Numerics, SixteenBitPartialsLoseMoreTheLargerTheRing) {
  const Exhibit e("b2 h4 s128 d16 bf16 fwd | contiguous ring r4");
  const auto ratio = [&](std::int64_t ranks, const Join& join, const HandOver& hand_over) {
    const Outputs outputs = merged(e, {.begins = blocks_of(128, 128 / ranks), .hand_over = hand_over, .join = join});
    return e.judged(outputs).of(Output::o).ratio;
  };
  const HandOver wide = [](RowPartial&, int) {};
  EXPECT_LT(ratio(32, join_rightly, wide), 1.05 * ratio(2, join_rightly, wide));
  EXPECT_GT(ratio(32, join_in_16_bit, rounds_partials_to(bf16)),
            2 * ratio(2, join_in_16_bit, rounds_partials_to(bf16)));
  const Outputs wrong =
      merged(e, {.begins = blocks_of(128, 4), .hand_over = rounds_partials_to(bf16), .join = join_in_16_bit});
  e.expect_caught(wrong, "baseline", Output::o);
}

// dQ of each block of keys alone, added up in the type after every hop.
Outputs dq_over_hops(const Exhibit& e, std::int64_t size, ElementType type) {
  Outputs sum = e.right();
  sum.dq = Tensor(e.c.problem.shape_q());
  for (const std::int64_t begin : blocks_of(e.c.problem.len_kv, size)) {
    const Outputs part = e.with({.entries = [=](const RowAt&, std::vector<Entry>& entries) {
      for (Entry& entry : entries) entry.walked = entry.key >= begin && entry.key < begin + size;
    }});
    for (std::size_t n = 0; n < sum.dq.values.size(); ++n) {
      sum.dq.values[n] = round_to(type, sum.dq.values[n] + part.dq.values[n]);
    }
  }
  for (double& x : sum.dq.values) x = round_to(output_type(e.c.problem.type), x);
  return sum;
}

// N4. The naive ring converts dQ to 16 bit and back at every hop. Few hops stay inside what one rounding may do to a
// bf16 gradient, so the growth with the ring is the sign; an f32 gradient shows it at once.
TEST(Numerics, GradientsRoundedAtEveryHopLoseAccuracy) {
  const Exhibit e("b1 h2 s96 d8 bf16 | contiguous ring r4");
  const auto ratio = [&](std::int64_t hops, ElementType type) {
    return e.judged(dq_over_hops(e, 96 / hops, type)).of(Output::dq).ratio;
  };
  EXPECT_GT(ratio(16, bf16), 1.5 * ratio(2, bf16));
  EXPECT_LT(ratio(16, ElementType::f32), 1.05 * ratio(2, ElementType::f32));
  e.expect_passes(dq_over_hops(e, 1, ElementType::f32));
  e.expect_caught(dq_over_hops(e, 1, bf16), "baseline", Output::dq);
  const Exhibit wide("b1 h2 s32 d8 f32 | contiguous ring r4");
  wide.expect_passes(dq_over_hops(wide, 8, ElementType::f32));
  wide.expect_caught(dq_over_hops(wide, 8, bf16), "baseline", Output::dq);
}

// N5. The largest score and the sum in two 16-bit numbers instead of one fp32 LSE.
TEST(Numerics, TwoSixteenBitStatisticsAreNoLse) {
  const Exhibit e("b1 h2 s16 d8 f32 fwd scale=8 | contiguous ring r2");
  const HandOver two_statistics = [](RowPartial& partial, int) {
    const double m = round_to(bf16, partial.lse);
    partial.lse = m + std::log(round_to(bf16, std::exp(partial.lse - m)));
  };
  const std::vector<std::int64_t> begins = blocks_of(16, 8);
  e.expect_passes(merged(e, {.begins = begins}));
  const HandOver sixteen_bit = [](RowPartial& partial, int) { partial.lse = round_to(bf16, partial.lse); };
  e.expect_caught(merged(e, {.begins = begins, .hand_over = sixteen_bit}), "baseline", Output::o);
  e.expect_caught(merged(e, {.begins = begins, .hand_over = two_statistics}), "baseline", Output::o);
}

template <class Real>
void join_in(RowPartial& here, const RowPartial& from, Real (*log_of_one_plus)(Real)) {
  if (here.is_empty() || from.is_empty()) return join_rightly(here, from);
  const Real a = static_cast<Real>(here.lse), b = static_cast<Real>(from.lse), grown = std::exp(-std::abs(b - a));
  mix(here, from, b > a ? 1 / (1 + grown) : grown / (1 + grown));
  here.lse = std::max(a, b) + log_of_one_plus(grown);
}

// N6. Not a mistake: fp32 is enough for the correction, with log1p or without. 16 bits would be one.
TEST(Numerics, AnLseCorrectionInFp32IsEnoughAndIn16BitIsNot) {
  const Exhibit e("b1 h2 s16 d8 f32 fwd scale=4 | contiguous ring r2");
  const std::vector<std::int64_t> begins = blocks_of(16, 4);
  const auto with = [&](const Join& join) { return merged(e, {.begins = begins, .join = join}); };
  e.expect_passes(with([](auto& a, const auto& b) { join_in<double>(a, b, std::log1p); }));
  e.expect_passes(with([](auto& a, const auto& b) { join_in<float>(a, b, std::log1p); }));
  e.expect_passes(with([](auto& a, const auto& b) { join_in<float>(a, b, [](float x) { return std::log(1 + x); }); }));
  const Outputs wrong = with(
      [](auto& a, const auto& b) { join_in<double>(a, b, [](double x) { return round_to(bf16, std::log1p(x)); }); });
  e.expect_caught(wrong, "baseline", Output::lse);
}

// N7. The sum takes fp32 weights, the product with V 16-bit ones: with V = 1 the output is not 1.
TEST(Numerics, WeightsRoundedForTheProductAloneDoNotSumToOne) {
  Exhibit e("b1 h2 s32 d8 f32 fwd | contiguous ring r2");
  std::ranges::fill(e.reference.inputs.v.values, 1.0);
  e.reference.oracle = oracle<double>(e.c.problem, e.reference.inputs);
  e.reference.baseline = baseline(e.c.problem, e.reference.inputs, Weights::kept);
  const auto rounded_weights = [](RowPartial& here, const RowPartial& from) {
    const double p = std::exp(from.lse);  // one key
    const double l = here.is_empty() ? 0 : std::exp(here.lse);
    for (std::size_t d = 0; d < here.o.size(); ++d)
      here.o[d] = (here.o[d] * l + round_to(bf16, p) * from.o[d]) / (l + p);
    here.lse = std::log(l + p);
  };
  const Outputs right = merged(e, {.begins = blocks_of(32, 1)});
  const Outputs wrong = merged(e, {.begins = blocks_of(32, 1), .join = rounded_weights});
  for (const double x : right.o.values) EXPECT_NEAR(x, 1, 1e-6);
  const auto largest = [](const Tensor& x) {
    double most = 0;
    for (const double value : x.values) most = std::max(most, std::abs(value - 1));
    return most;
  };
  EXPECT_GT(largest(wrong.o), 1e-4);
  e.expect_caught(wrong, "baseline", Output::o);
}

// N9. The tail of the last tile is masked by a weight of 0; 0 x NaN is NaN.
TEST(Numerics, ATailTileMaskedByZeroLetsNaNThrough) {
  const Exhibit e("b1 h2 s8 d4 f64 kv-lens=6 | contiguous ring r2 | cpu | poison");
  const auto tail_at_weight_zero = [](const RowAt&, std::vector<Entry>& entries) {
    for (std::int64_t key = 6; key < 8; ++key) {
      entries.push_back({.key = key, .times = 0, .score = -std::numeric_limits<double>::infinity()});
    }
  };
  const Outputs wrong = e.with({.entries = tail_at_weight_zero});
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::o).row, 0);
  EXPECT_GT(e.judged(wrong).of(Output::dq).nonfinite, 0);
  const Exhibit no_poison("b1 h2 s8 d4 f64 kv-lens=6 | contiguous ring r2");
  no_poison.expect_passes(no_poison.with({.entries = tail_at_weight_zero}));
}

// N11. A few rows far off and the rest exact is wiring, not rounding: the rows say which boundary.
TEST(Numerics, ABoundaryOffByOneIsSparseAndLargeNotSpreadAndSmall) {
  const Exhibit e("b1 h1 s12 d4 f64 causal docs=0,5,12 | contiguous ring r3");
  const Outputs wrong = e.under({.causal = true, .docs = {0, 6, 12}});
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::o).row, 5);
  const std::vector<double> ratios = row_ratios(e.c.problem, e.reference, Output::o, wrong);
  for (std::size_t row = 0; row < ratios.size(); ++row) {
    EXPECT_EQ(ratios[row] > 1, row >= 5) << row;
  }
  EXPECT_GT(*std::ranges::max_element(ratios), 1e6);
}

// N12. dQ added in the order of arrival has other bits at each repeat, and nothing else has.
TEST(Numerics, GradientsAddedInOrderOfArrivalDoNotRepeat) {
  const Exhibit e("b1 h2 s24 d8 f32 | contiguous ring r3");
  EXPECT_TRUE(agreement(e.c.problem, e.right(), e.right()).same_bits());
  const auto in_order = [&](const std::vector<std::int64_t>& begins) {
    Outputs sum = e.right();
    sum.dq = Tensor(e.c.problem.shape_q());
    for (const std::int64_t begin : begins) {
      const Outputs part = e.with({.entries = [=](const RowAt&, std::vector<Entry>& entries) {
        for (Entry& entry : entries) entry.walked = entry.key / 8 == begin;
      }});
      for (std::size_t n = 0; n < sum.dq.values.size(); ++n) {
        sum.dq.values[n] = round_to(ElementType::f32, sum.dq.values[n] + part.dq.values[n]);
      }
    }
    return sum;
  };
  const Outputs first = in_order({0, 1, 2}), second = in_order({2, 0, 1});
  e.expect_passes(first);
  e.expect_passes(second);
  const Agreement found = agreement(e.c.problem, first, second);
  ASSERT_TRUE(found.first_unlike);
  EXPECT_EQ(found.first_unlike->output, Output::dq);
}

}  // namespace
}  // namespace ringscope
