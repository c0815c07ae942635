#include "core/oracle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "core/dropout.h"
#include "core/fill.h"
#include "tests/core/problems.h"

namespace ringscope {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<const Tensor*> tensors_of(const Outputs& x) {
  return {&x.o, &x.lse, &x.dq, &x.dk, &x.dv};
}

Problem in_f64(Problem p) {
  p.type = ElementType::f64;
  return p;
}

// The definition, one pair at a time: no intervals, no maximum, RoPE as complex numbers.
double score_by_definition(const Problem& p, const Inputs& x, std::int64_t b, std::int64_t h, std::int64_t i,
                           std::int64_t j) {
  const std::int64_t position = i + p.mask.offset.value_or(p.len_kv - p.len_q), half = p.dim_qk / 2;
  const double* q = x.q.row(b, h, i);
  const double* k = x.k.row(b, h / p.group(), j);
  double s = 0;
  for (std::int64_t d = 0; d < half; ++d) {
    const double w = p.terms.rope_base > 0
                         ? std::pow(p.terms.rope_base, -2.0 * static_cast<double>(d) / static_cast<double>(p.dim_qk))
                         : 0;
    const std::complex<double> u(q[d], q[d + half]), v(k[d], k[d + half]);
    s += (u * std::conj(v) * std::polar(1.0, w * static_cast<double>(position - j))).real();
  }
  s *= p.scale();
  if (p.terms.softcap > 0) s = p.terms.softcap * std::tanh(s / p.terms.softcap);
  if (p.terms.alibi) {
    s += std::pow(2.0, -8.0 * static_cast<double>(h + 1) / static_cast<double>(p.heads_q)) *
         static_cast<double>(j - position);
  }
  return s;
}

TEST(Oracle, NanThatARowSeesNeverBecomesAZero) {
  Problem p = in_f64({.batch = 1, .heads_q = 2, .heads_kv = 1, .len_q = 8, .len_kv = 8});
  p.mask.causal = true;
  Inputs x = make_inputs(p, Fill::random, 3);
  x.k.row(0, 0, 5)[2] = std::nan("");
  const Outputs out = oracle<double>(p, x), plain = baseline(p, x, Weights::kept);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (const Outputs* y : {&out, &plain}) {
      EXPECT_EQ(std::isnan(*y->lse.row(0, 1, i)), i >= 5) << i;
      EXPECT_EQ(std::isnan(y->o.row(0, 1, i)[0]), i >= 5) << i;
      EXPECT_EQ(std::isnan(y->dq.row(0, 1, i)[0]), i >= 5) << i;
    }
  }
}

TEST(Oracle, ForwardIsTheDefinitionPairByPair) {
  for (const auto& [name, p] : all_problems()) {
    const Inputs x = make_inputs(p, Fill::random, 3);
    const Outputs out = oracle<double>(p, x);
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t h = 0; h < p.heads_q; ++h) {
        for (std::int64_t i = 0; i < p.len_q; ++i) {
          double l = x.sink_logit.empty() ? 0 : std::exp(x.sink_logit[static_cast<std::size_t>(h)]);
          std::vector<double> o(static_cast<std::size_t>(p.dim_v));
          for (std::int64_t j = 0; j < p.len_kv; ++j) {
            if (!may_see(p.mask, p.len_q, p.len_kv, b, i, j)) continue;
            const double e = std::exp(score_by_definition(p, x, b, h, i, j));
            l += e;
            if (!dropout_keeps(x.dropout_seed, p.terms.dropout, b, h, i, j)) continue;
            for (std::size_t d = 0; d < o.size(); ++d) {
              o[d] += e / (1 - p.terms.dropout) * x.v.row(b, h / p.group(), j)[d];
            }
          }
          if (l == 0) {
            EXPECT_EQ(*out.lse.row(b, h, i), -infinity) << name;
          } else {
            EXPECT_NEAR(*out.lse.row(b, h, i), std::log(l), 1e-13) << name << " row " << i;
          }
          for (std::size_t d = 0; d < o.size(); ++d) {
            EXPECT_NEAR(out.o.row(b, h, i)[d], l == 0 ? 0 : o[d] / l, 1e-13) << name << " row " << i;
          }
        }
      }
    }
  }
}

// What the gradients are gradients of.
long double loss(const Problem& p, const Inputs& x) {
  Problem forward = p;
  forward.direction = Direction::forward;
  const Outputs out = oracle<long double>(forward, x);
  long double sum = 0;
  for (std::size_t n = 0; n < out.o.values.size(); ++n) {
    sum += static_cast<long double>(out.o.values[n]) * static_cast<long double>(x.d_o.values[n]);
  }
  return sum;
}

// Fourth order: f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h. With h = 2^-10 the next term is below 1e-10 here.
double slope_of_loss(const Problem& p, Inputs& x, double& at) {
  constexpr double h = 0x1p-10;
  const double middle = at;
  const auto f = [&](double shift) {
    at = middle + shift;
    return loss(p, x);
  };
  const long double slope = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  at = middle;
  return static_cast<double>(slope);
}

TEST(Oracle, GradientsAgreeWithFiniteDifferences) {
  for (const auto& [name, p] : all_problems()) {
    Inputs x = make_inputs(in_f64(p), Fill::random, 5);
    const Outputs out = oracle<double>(p, x);
    const auto check = [&](const char* which, std::vector<double>& values, const std::vector<double>& gradient) {
      ASSERT_EQ(values.size(), gradient.size()) << name << ' ' << which;
      for (std::size_t n = 0; n < values.size(); ++n) {
        EXPECT_NEAR(gradient[n], slope_of_loss(p, x, values[n]), 1e-7) << name << ' ' << which << ' ' << n;
      }
    };
    check("dQ", x.q.values, out.dq.values);
    check("dK", x.k.values, out.dk.values);
    check("dV", x.v.values, out.dv.values);
    check("d_sink", x.sink_logit, out.d_sink);
  }
}

TEST(Oracle, DoubleIsWithinATenthOfTheBoundOfLongDouble) {
  for (const auto& [name, p] : all_problems()) {
    const Inputs x = make_inputs(in_f64(p), Fill::random, 9);
    const Outputs a = oracle<double>(p, x), b = oracle<long double>(p, x), c = magnitudes(p, x);
    const auto ours = tensors_of(a), theirs = tensors_of(b), bounds = tensors_of(c);
    for (std::size_t t = 0; t < ours.size(); ++t) {
      for (std::size_t n = 0; n < ours[t]->values.size(); ++n) {
        if (std::isinf(theirs[t]->values[n])) continue;
        EXPECT_LE(std::abs(ours[t]->values[n] - theirs[t]->values[n]), 1e-14 * bounds[t]->values[n])
            << name << " output " << t << " element " << n;
      }
    }
  }
}

TEST(Oracle, MagnitudesDominate) {
  for (const auto& [name, p] : all_problems()) {
    const Inputs x = make_inputs(p, Fill::random, 11);
    const Outputs a = oracle<double>(p, x), c = magnitudes(p, x);
    const auto values = tensors_of(a), bounds = tensors_of(c);
    for (std::size_t t = 0; t < values.size(); ++t) {
      ASSERT_EQ(values[t]->shape, bounds[t]->shape) << name;
      for (std::size_t n = 0; n < values[t]->values.size(); ++n) {
        const double value = values[t]->values[n];
        if (std::isfinite(value)) {
          EXPECT_LE(std::abs(value), bounds[t]->values[n] * (1 + 1e-12)) << name << " output " << t;
        }
      }
    }
    for (std::size_t h = 0; h < a.d_sink.size(); ++h) EXPECT_LE(std::abs(a.d_sink[h]), c.d_sink[h]);
  }
}

TEST(Oracle, EmptyRowsGiveZerosAndMinusInfinity) {
  Problem p{.heads_q = 2, .heads_kv = 1, .len_q = 3, .len_kv = 3, .dim_qk = 2, .dim_v = 2};
  p.mask = {.causal = true, .offset = -2};  // rows 0 and 1 see nothing
  const Outputs out = oracle<double>(p, make_inputs(p, Fill::random, 1));
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(*out.lse.row(0, 0, i), -infinity);
    EXPECT_EQ(out.o.row(0, 0, i)[1], 0);
    EXPECT_EQ(out.dq.row(0, 0, i)[1], 0);
  }
  EXPECT_TRUE(std::isfinite(*out.lse.row(0, 0, 2)));
  EXPECT_EQ(out.dk.row(0, 0, 1)[0], 0);
  p.terms.sink_logit = true;
  const Inputs with_sink = make_inputs(p, Fill::random, 1);
  const Outputs sunk = oracle<double>(p, with_sink);
  EXPECT_EQ(*sunk.lse.row(0, 1, 0), with_sink.sink_logit[1]);
  EXPECT_EQ(sunk.o.row(0, 1, 0)[0], 0);
}

TEST(Oracle, ForwardAloneLeavesGradientsEmpty) {
  Problem p;
  p.direction = Direction::forward;
  const Outputs out = oracle<double>(p, make_inputs(p, Fill::random, 0));
  EXPECT_TRUE(out.dq.empty() && out.dk.empty() && out.dv.empty() && out.d_sink.empty());
  EXPECT_EQ(out.o.shape, p.shape_o());
}

}  // namespace
}  // namespace ringscope
