// The museum, hall of merges: what two partial softmaxes make (docs/museum.md, G1 to G12).
#include <gtest/gtest.h>

#include <numbers>

#include "tests/catalogue/partials.h"

namespace ringscope {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The law without a guard for what is empty.
void join_unguarded(RowPartial& here, const RowPartial& from) {
  const double m = std::max(here.lse, from.lse);
  const double a = std::exp(here.lse - m), b = std::exp(from.lse - m);
  mix(here, from, b / (a + b));
  here.lse = m + std::log(a + b);
}

// G1. One generation of a kernel says +inf for a query without keys, the next -inf.
TEST(Merges, PlusInfinityForAnEmptyBlockTakesOver) {
  const Exhibit e("b1 h2 s8 d4 f64 fwd causal | contiguous ring r2");
  const HandOver plus = [](RowPartial& partial, int) {
    if (partial.is_empty()) partial.lse = infinity;
  };
  const HandOver normalised = [&](RowPartial& partial, int block) {
    plus(partial, block);
    if (partial.lse == infinity) partial.lse = -infinity;
  };
  const std::vector<std::int64_t> begins = blocks_of(8, 4);
  EXPECT_EQ(e.expect_caught(merged(e, {.begins = begins, .hand_over = plus}), "bounds", Output::o).row, 0);
  e.expect_passes(merged(e, {.begins = begins, .hand_over = normalised}));
}

// G2. (-inf) - (-inf) is NaN; -10000 in its place hides that and is not exact.
TEST(Merges, BothSidesEmptyGiveNaN) {
  const Exhibit e("b1 h2 s6x4 d4 f64 fwd causal | contiguous ring r2");  // rows 0 and 1 see nothing
  const std::vector<std::int64_t> begins = blocks_of(4, 2);
  e.expect_passes(merged(e, {.begins = begins}));
  const Outputs wrong = merged(e, {.begins = begins, .join = join_unguarded});
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::o).row, 0);
  EXPECT_GT(e.judged(wrong).of(Output::o).nonfinite, 0);
  const Join clamped = [](RowPartial& here, const RowPartial& from) {
    const RowPartial floor{std::max(from.lse, -10000.0), from.o};
    here.lse = std::max(here.lse, -10000.0);
    join_unguarded(here, floor);
  };
  const Place place = e.expect_caught(merged(e, {.begins = begins, .join = clamped}), "bounds", Output::lse);
  EXPECT_EQ(place.row, 0);
}

// G3. Many at once: the largest of nothing is -inf too. The oracle is asked as well.
TEST(Merges, AManyWayMergeOfEmptyStatesGivesNaN) {
  const Exhibit e("b1 h2 s6x4 d4 f64 fwd causal | contiguous ring r2");
  const Outputs right = oracle<double>(e.c.problem, e.reference.inputs);
  EXPECT_EQ(*right.lse.row(0, 0, 0), -infinity);
  EXPECT_EQ(*right.o.row(0, 0, 0), 0);
  enum class Guard { with, without };
  const auto many = [&](Guard guard) {
    Outputs out = right;
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t i = 0; i < 6; ++i) {
        std::vector<RowPartial> states(3, RowPartial{.o = {0}});
        if (i >= 2) states[0] = {*right.lse.row(0, h, i), {*right.o.row(0, h, i)}};
        double m = -infinity, l = 0, o = 0;
        for (const RowPartial& s : states) m = std::max(m, s.lse);
        for (const RowPartial& s : states) {
          const bool empty = guard == Guard::with && s.lse == -infinity;
          const double p = empty ? 0 : std::exp(s.lse - m);
          l += p;
          o += p * s.o[0];
        }
        *out.lse.row(0, h, i) = m + std::log(l);
        *out.o.row(0, h, i) = l == 0 ? 0 : o / l;
      }
    }
    return out;
  };
  e.expect_passes(many(Guard::with));
  EXPECT_EQ(e.expect_caught(many(Guard::without), "bounds", Output::o).row, 0);
}

HandOver in_base_2(int first_block) {
  return [=](RowPartial& partial, int block) {
    if (block >= first_block) partial.lse *= std::numbers::log2e;
  };
}

// G4. An LSE 1.4427 times too large over-weights the long side; halves of equal weight hide it.
TEST(Merges, BaseTwoLseIntoANaturalMergeOverweightsTheLongSide) {
  const auto weight_of_second = [](double first_keys, double second_keys, double base) {
    RowPartial here{std::log(first_keys) * base, {0}};
    join_rightly(here, {std::log(second_keys) * base, {1}});
    return here.o[0];
  };
  EXPECT_NEAR(weight_of_second(3, 1, 1), 0.25, 1e-15);
  EXPECT_NEAR(weight_of_second(3, 1, std::numbers::log2e), 0.170, 5e-4);
  EXPECT_EQ(weight_of_second(2, 2, std::numbers::log2e), 0.5);
  const Exhibit e("b1 h2 s8 d4 f64 fwd | contiguous ring r2");
  const Outputs wrong = merged(e, {.begins = {0, 6}, .hand_over = in_base_2(0)});
  e.expect_caught(wrong, "bounds", Output::o);
}

// G5. One rank's backend answers in base 2, the reduction over ranks takes all for natural.
TEST(Merges, OneRankInAnotherBaseTiltsTheReduction) {
  const Exhibit e("b1 h2 s8 d4 f64 fwd | contiguous decode r2");
  e.expect_passes(merged(e, {.begins = {0, 5}}));
  e.expect_caught(merged(e, {.begins = {0, 5}, .hand_over = in_base_2(1)}), "bounds", Output::o);
}

// G6. Hash the KV, then compare one-shot with split attention: the partials are right, so the merge is to blame.
TEST(Merges, AWarmPrefixDiffersWhereTheColdRunAndThePrefixAreRight) {
  const Exhibit cold("b1 h2 s8 d4 f64 fwd | contiguous ring r1");
  cold.expect_passes(cold.right());
  const Exhibit prefix("b1 h2 s8 d4 f64 fwd kv-lens=6 | contiguous ring r1");
  ASSERT_EQ(cold.reference.inputs.k.values.size(), prefix.reference.inputs.k.values.size());
  EXPECT_EQ(cold.reference.inputs.q.values, prefix.reference.inputs.q.values);
  prefix.expect_passes(prefix.right());
  cold.expect_passes(merged(cold, {.begins = {0, 6}}));
  cold.expect_caught(merged(cold, {.begins = {0, 6}, .hand_over = in_base_2(0)}), "bounds", Output::o);
}

// G7. A constant ratio of 1.4427 has a name.
TEST(Merges, AnLseInBaseTwoIsDiagnosedByItsConstantRatio) {
  const Exhibit e("b1 h2 s8 d4 f64 fwd causal | contiguous ring r2");
  Outputs wrong = e.right();
  for (double& x : wrong.lse.values) x *= std::numbers::log2e;
  e.expect_caught(wrong, "bounds", Output::lse);
  EXPECT_EQ(e.diagnosed(wrong), "lse_base_2");
}

// G8. Two people mend the base at both ends.
TEST(Merges, TheBaseMendedTwiceIsWrongTheOtherWay) {
  const Exhibit e("b1 h2 s8 d4 f64 fwd | contiguous ring r2");
  const auto mended = [&](int times) {
    return merged(e, {.begins = {0, 6}, .hand_over = [=](RowPartial& partial, int) {
                        partial.lse *= std::numbers::log2e;
                        for (int n = 0; n < times; ++n) partial.lse *= std::numbers::ln2;
                      }});
  };
  e.expect_passes(mended(1));
  e.expect_caught(mended(2), "bounds", Output::o);
}

// G9. A natural maximum plus a base-2 logarithm of natural weights: one key hides it, two tell.
TEST(Merges, ANaturalMaximumPlusABaseTwoLogShowsFromTheSecondKeyOn) {
  const Exhibit e("b1 h1 s4 d4 f64 fwd causal | contiguous ring r1");
  Outputs wrong = e.right();
  for (std::int64_t i = 0; i < 4; ++i) {
    double m = -infinity;
    for (std::int64_t j = 0; j <= i; ++j) {
      double s = 0;
      for (std::int64_t d = 0; d < 4; ++d)
        s += e.reference.inputs.q.row(0, 0, i)[d] * e.reference.inputs.k.row(0, 0, j)[d];
      m = std::max(m, s * e.c.problem.scale());
    }
    *wrong.lse.row(0, 0, i) = m + (*wrong.lse.row(0, 0, i) - m) * std::numbers::log2e;
  }
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::lse).row, 1);
}

// G11. Four keys and a sink, all scores 0: the keys weigh 4/5. On each of two ranks: 4/6. Lost: 1.
TEST(Merges, ASinkOnEveryRankOrOnNoneChangesTheDenominator) {
  Exhibit e("b1 h2 s4 d4 f64 sink-logit | contiguous ring r2 | cpu | uniform");
  e.expect_caught(e.with({.sink_missing = true}), "exact", Output::o);
  const HandOver with_a_sink_each = [](RowPartial& partial, int) {
    join_rightly(partial, {0, std::vector<double>(partial.o.size())});
  };
  const auto merged_with = [&](const HandOver& hand_over) {
    Exhibit sinkless = e;
    sinkless.reference.inputs.sink_logit.clear();
    Outputs out = e.right();
    const Outputs forward = merged(sinkless, {.begins = {0, 2}, .hand_over = hand_over});
    out.o = forward.o, out.lse = forward.lse;
    return out;
  };
  const Outputs twice = merged_with(with_a_sink_each);
  e.expect_caught(twice, "exact", Output::o);
  EXPECT_NEAR(*twice.lse.row(0, 0, 0), std::log(6), 1e-12);
  EXPECT_NEAR(*e.right().lse.row(0, 0, 0), std::log(5), 1e-12);
  const HandOver once = [&](RowPartial& partial, int block) {
    if (block == 0) with_a_sink_each(partial, block);
  };
  EXPECT_NEAR(*merged_with(once).lse.row(0, 0, 0), std::log(5), 1e-12);
}

// G12. Averages without weights: what is left of a ring whose kernel returns no LSE.
TEST(Merges, APlainAverageOfPartialsNeedsNoLseAndIsWrong) {
  const auto averaged = [](const Exhibit& e, std::int64_t size) {
    return e.with({.entries =
                       [=](const RowAt&, std::vector<Entry>& entries) {
                         for (Entry& entry : entries) entry.part = static_cast<int>(entry.key / size);
                       },
                   .joining = Joining::average});
  };
  const Exhibit e("b1 h2 s8 d4 f64 fwd | contiguous ring r2");
  e.expect_caught(averaged(e, 4), "bounds", Output::o);
  EXPECT_EQ(e.diagnosed(averaged(e, 4)), "merge_average");
  const Exhibit equal("b1 h2 s8 d4 f64 fwd | contiguous ring r2 | cpu | uniform");
  equal.expect_passes(averaged(equal, 4));
}

}  // namespace
}  // namespace ringscope
