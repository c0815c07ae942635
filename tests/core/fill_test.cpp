#include "core/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/oracle.h"
#include "tests/core/problems.h"

namespace ringscope {
namespace {

constexpr ElementType all_types[] = {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16,
                                     ElementType::e4m3};
constexpr double inf = std::numeric_limits<double>::infinity();

// Masked problems in every type, with room for the needle's code and a scale that is no power of two.
std::vector<NamedProblem> exact_problems() {
  std::vector<NamedProblem> out;
  for (const auto& [name, problem] : masked_problems()) {
    for (const ElementType type : all_types) {
      Problem p = problem;
      p.type = type;
      p.dim_qk = 5;
      out.push_back({name + " " + std::string(name_of(type)), p});
    }
  }
  return out;
}

TEST(Fill, EveryFillHasItsNameAndASentence) {
  std::set<std::string_view> names;
  for (const FillInfo& info : fills()) {
    EXPECT_EQ(name_of(info.fill), info.name);
    EXPECT_FALSE(info.sentence.empty());
    names.insert(info.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"random", "needle", "uniform", "poison", "overflow"}));
}

TEST(Fill, ValuesAreExactInTheStorageType) {
  for (const FillInfo& fill : fills()) {
    for (const auto& [name, base] : exact_problems()) {
      Problem p = base;
      if (fill.fill == Fill::overflow) p.terms.scale = 0.25;
      const Inputs x = make_inputs(p, fill.fill, 4);
      for (const Tensor* t : {&x.q, &x.k, &x.v}) {
        for (const double v : t->values) {
          if (!std::isnan(v)) {
            ASSERT_EQ(round_to(p.type, v), v) << name << ' ' << fill.name;
          }
        }
      }
      for (const double v : x.d_o.values) ASSERT_EQ(round_to(output_type(p.type), v), v) << name << ' ' << fill.name;
    }
  }
}

TEST(Fill, SameSeedSameValuesAndAnotherSeedOthers) {
  const Problem p;
  const Inputs a = make_inputs(p, Fill::random, 7), b = make_inputs(p, Fill::random, 7);
  const Inputs c = make_inputs(p, Fill::random, 8);
  EXPECT_EQ(a.q.values, b.q.values);
  EXPECT_EQ(a.dropout_seed, b.dropout_seed);
  EXPECT_NE(a.q.values, c.q.values);
  EXPECT_NE(a.dropout_seed, c.dropout_seed);
  EXPECT_NE(a.q.values, a.k.values);
  EXPECT_NE(a.v.values, a.d_o.values);
}

TEST(Fill, RandomIsNearlyNormal) {
  Problem p{.len_q = 256, .len_kv = 256, .type = ElementType::f64};
  const Inputs x = make_inputs(p, Fill::random, 1);
  double sum = 0, squares = 0, fourths = 0;
  for (const double v : x.q.values) sum += v, squares += v * v, fourths += v * v * v * v;
  const auto n = static_cast<double>(x.q.values.size());
  EXPECT_NEAR(sum / n, 0, 6 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(fourths / n, 3 - 1.2 / 8, 6 * std::sqrt(96 / n));  // the fourth moment of a sum of eight uniforms
}

// Goldens from a Python program of twelve lines.
TEST(Fill, RandomNumbersAreTheSameForever) {
  const Problem p{.type = ElementType::f64};
  const Inputs x = make_inputs(p, Fill::random, 0);
  EXPECT_EQ(x.q.values[0], -0x1.2c45e31982e53p-2);
  EXPECT_EQ(x.v.values[5], -0x1.15ee541c6afc7p-1);
  EXPECT_EQ(x.dropout_seed, 10658680569144958375u);
}

// The baseline computes in the compute type, so it meets the exact answer bit for bit.
TEST(Fill, NeedleIsWhatTheBaselineFinds) {
  for (const auto& [name, p] : exact_problems()) {
    const Inputs x = make_inputs(p, Fill::needle, 2);
    const auto exact = exact_outputs(p, Fill::needle, 2, x);
    ASSERT_TRUE(exact && exact->o && exact->lse && exact->dq && exact->dk && exact->dv) << name;
    EXPECT_EQ(exact->lse_ulps, 0);
    const Outputs out = baseline(p, x, Weights::kept);
    EXPECT_EQ(out.o.values, exact->o->values) << name;
    EXPECT_EQ(out.lse.values, exact->lse->values) << name;
    EXPECT_EQ(out.dq.values, exact->dq->values) << name;
    EXPECT_EQ(out.dk.values, exact->dk->values) << name;
    EXPECT_EQ(out.dv.values, exact->dv->values) << name;
  }
}

TEST(Fill, NeedleScoresAreZeroAtTheNeedleAndFarBelowElsewhere) {
  for (const double scale : {0.25, 0.3, 1.0 / 7, 2.0}) {
    Problem p{.heads_q = 2, .heads_kv = 1, .len_q = 13, .len_kv = 21, .type = ElementType::e4m3};
    p.terms.scale = scale;
    const Inputs x = make_inputs(p, Fill::needle, 0);
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t i = 0; i < p.len_q; ++i) {
        int needles = 0;
        for (std::int64_t j = 0; j < p.len_kv; ++j) {
          double s = 0;
          for (std::int64_t d = 0; d < p.dim_qk; ++d) s += x.q.row(0, h, i)[d] * x.k.row(0, 0, j)[d];
          needles += s == 0 ? 1 : 0;
          if (s != 0) {
            EXPECT_LE(s * scale, -128);
          }
        }
        EXPECT_EQ(needles, 1);
      }
    }
  }
}

TEST(Fill, EveryKeyIsSomeNeedleWhenUnmasked) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 64, 100}) {
    Problem p{.heads_q = 1, .heads_kv = 1, .len_q = n, .len_kv = n};
    const Inputs x = make_inputs(p, Fill::needle, 0);
    std::set<std::vector<double>> looked_for;
    for (std::int64_t i = 0; i < n; ++i) looked_for.emplace(x.q.row(0, 0, i), x.q.row(0, 0, i) + p.dim_qk);
    EXPECT_EQ(static_cast<std::int64_t>(looked_for.size()), n);
  }
}

TEST(Fill, UniformIsExactByOneDivision) {
  for (const auto& [name, base] : exact_problems()) {
    for (const bool with_terms : {false, true}) {
      Problem p = base;
      if (with_terms) p.terms = {.softcap = 20, .sink_logit = true, .dropout = 0.5};
      const Inputs x = make_inputs(p, Fill::uniform, 6);
      const auto exact = exact_outputs(p, Fill::uniform, 6, x);
      ASSERT_TRUE(exact && exact->o && exact->lse) << name;
      const Outputs out = baseline(p, x, Weights::kept);
      EXPECT_EQ(out.o.values, exact->o->values) << name;
      EXPECT_EQ(out.dq.values, exact->dq->values) << name;
      EXPECT_EQ(out.dk.values, exact->dk->values) << name;
      const ElementType accumulator = p.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
      for (std::size_t n = 0; n < out.lse.values.size(); ++n) {
        const double want = exact->lse->values[n];
        if (want == -inf) {
          EXPECT_EQ(out.lse.values[n], -inf);
        } else {
          EXPECT_LE(std::abs(out.lse.values[n] - want), exact->lse_ulps * ulp(accumulator, want)) << name;
        }
      }
    }
  }
}

TEST(Fill, PoisonIsNaNExactlyWhereNoQueryLooks) {
  for (const auto& [name, p] : masked_problems()) {
    const Inputs x = make_inputs(p, Fill::poison, 1);
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t j = 0; j < p.len_kv; ++j) {
        bool seen = false;
        for (std::int64_t i = 0; i < p.len_q; ++i) seen = seen || may_see(p.mask, p.len_q, p.len_kv, b, i, j);
        for (std::int64_t h = 0; h < p.heads_kv; ++h) {
          EXPECT_EQ(std::isnan(x.k.row(b, h, j)[0]), !seen) << name << " key " << j;
          EXPECT_EQ(std::isnan(x.v.row(b, h, j)[p.dim_v - 1]), !seen) << name << " key " << j;
        }
      }
    }
    const Outputs out = oracle<double>(p, x);
    for (const Tensor* t : {&out.o, &out.dq, &out.dk, &out.dv}) {
      for (const double v : t->values) EXPECT_TRUE(std::isfinite(v)) << name;
    }
  }
}

TEST(Fill, OverflowScoresAreLargeAndExactInFloat) {
  for (const ElementType type : all_types) {
    for (const double scale : {0.125, 0.25, 1.0}) {
      Problem p{.len_q = 64, .len_kv = 64, .type = type};
      p.terms.scale = scale;
      const Inputs x = make_inputs(p, Fill::overflow, 3);
      double largest = 0;
      for (std::int64_t i = 0; i < 64; ++i) {
        for (std::int64_t j = 0; j < 64; ++j) {
          double s = 0;
          float in_float = 0;
          for (std::int64_t d = 0; d < p.dim_qk; ++d) {
            s += x.q.row(0, 0, i)[d] * x.k.row(0, 0, j)[d];
            in_float += static_cast<float>(x.q.row(0, 0, i)[d]) * static_cast<float>(x.k.row(0, 0, j)[d]);
          }
          ASSERT_EQ(s * scale, in_float * static_cast<float>(scale));
          largest = std::max(largest, std::abs(s * scale));
        }
      }
      EXPECT_GT(largest, 5e3);
      EXPECT_LT(largest, 3e4);
    }
  }
}

TEST(Fill, RefusesWhatCannotBeExact) {
  const auto refuses = [](Fill fill, auto change) {
    Problem p;
    change(p);
    EXPECT_TRUE(refusal(p, fill)) << name_of(fill);
    EXPECT_THROW(make_inputs(p, fill, 0), Error);
  };
  refuses(Fill::needle, [](Problem& p) { p.dim_qk = 6; });  // Skv = 64 needs 7
  refuses(Fill::needle, [](Problem& p) { p.terms.softcap = 30; });
  refuses(Fill::needle, [](Problem& p) { p.terms.alibi = true; });
  refuses(Fill::needle, [](Problem& p) { p.terms.rope_base = 10000; });
  refuses(Fill::needle, [](Problem& p) { p.terms.sink_logit = true; });
  refuses(Fill::needle, [](Problem& p) { p.terms.dropout = 0.5; });
  refuses(Fill::needle, [](Problem& p) { p.terms.scale = -1.0; });
  refuses(Fill::needle, [](Problem& p) { p.terms.scale = 1e-9, p.type = ElementType::e4m3; });
  refuses(Fill::uniform, [](Problem& p) { p.terms.alibi = true; });
  refuses(Fill::uniform, [](Problem& p) { p.terms.dropout = 0.25; });
  refuses(Fill::overflow, [](Problem& p) { p.terms.scale = 0.3; });
  refuses(Fill::overflow, [](Problem& p) { p.terms.softcap = 30; });
  Problem seven;
  seven.dim_qk = 7;
  EXPECT_FALSE(refusal(seven, Fill::needle));
  EXPECT_FALSE(refusal(seven, Fill::random));
}

}  // namespace
}  // namespace ringscope
