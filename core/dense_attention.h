// Attention in plain loops over rows and the keys they see, forward and backward (docs/math.md): the oracle with exact
// roundings, the baseline with those of a right kernel.
#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include "core/dense_rows.h"
#include "core/watch.h"

namespace ringscope {

// Rounding has weight(Real) for P and dS where they enter a product, and output(Real) -> Real for O, dQ, dK and dV.
template <class Real, class Rounding>
class DenseAttention {
 public:
  DenseAttention(const Problem& problem, const Inputs& inputs, Rounding rounding)
      : problem_(problem),
        inputs_(inputs),
        rounding_(rounding),
        scorer_(problem, inputs),
        q_(inputs.q),
        k_(inputs.k),
        v_(inputs.v),
        d_o_(inputs.d_o),
        dk_(problem.has_backward() ? problem.shape_k() : Shape{}),
        dv_(problem.has_backward() ? problem.shape_v() : Shape{}) {
    if (problem.terms.rope_base > 0) {
      q_turn_.emplace(q_rotation<Real>(problem));
      k_turn_.emplace(k_rotation<Real>(problem));
      for_each_row(q_, [this](std::int64_t r, Real* x) { q_turn_->turn(r, x); });
      for_each_row(k_, [this](std::int64_t r, Real* x) { k_turn_->turn(r, x); });
    }
    const auto keys = static_cast<std::size_t>(problem.len_kv);
    scores_.resize(keys), factors_.resize(keys);
    o_.resize(static_cast<std::size_t>(problem.dim_v)), dq_.resize(static_cast<std::size_t>(problem.dim_qk));
    out_.o = Tensor(problem.shape_o()), out_.lse = Tensor(problem.shape_lse());
    if (!problem.has_backward()) return;
    out_.dq = Tensor(problem.shape_q());
    if (problem.terms.sink_logit) out_.d_sink.assign(static_cast<std::size_t>(problem.heads_q), 0.0);
  }

  Outputs run(const TellDone& tell) {
    const MaskRows mask = problem_.mask_rows();
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t h = 0; h < problem_.heads_q; ++h) {
        Real d_sink = 0;
        for (std::int64_t i = 0; i < problem_.len_q; ++i) {
          const Row row{b, h, h / problem_.group(), i, mask.key_position(i), mask.row(b, i)};
          const Real lse = forward(row);
          if (problem_.has_backward()) d_sink += backward(row, lse);
          tell_done(tell, rows_done(problem_, b, h, i));
        }
        if (!out_.d_sink.empty()) out_.d_sink[static_cast<std::size_t>(h)] += static_cast<double>(d_sink);
      }
    }
    if (problem_.has_backward()) {
      out_.dk = finished(dk_);
      out_.dv = finished(dv_, false);
    }
    return std::move(out_);
  }

 private:
  struct Row {
    std::int64_t b, h, h_kv, i, p;
    KeyInterval keys;
  };

  // Two passes: the maximum first, then sums. Returns the LSE.
  Real forward(const Row& row) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const std::optional<Real> sink = sink_of(row.h);
    DropoutRow dropout(problem_, inputs_.dropout_seed, row.b, row.h, row.i);
    const Real* q = q_.row(row.b, row.h, row.i);
    Real m = sink.value_or(-infinity);
    for_each_key(row.keys, [&](std::int64_t j) {
      const auto at = static_cast<std::size_t>(j);
      scores_[at] = scorer_(dot(q, k_.row(row.b, row.h_kv, j), problem_.dim_qk), row.h, row.p, j);
      factors_[at] = dropout.factor<Real>(j);
      m = std::max(m, scores_[at].value);
    });
    std::fill(o_.begin(), o_.end(), Real{0});
    Real l = sink ? std::exp(*sink - m) : Real{0};
    for_each_key(row.keys, [&](std::int64_t j) {
      const auto at = static_cast<std::size_t>(j);
      const Real p = std::exp(scores_[at].value - m);
      l += p;
      add_scaled(rounding_.weight(p) * factors_[at], v_.row(row.b, row.h_kv, j), o_.data(), problem_.dim_v);
    });
    const bool empty = l == 0;  // not where a score is NaN: that must come through
    const Real lse = empty ? -infinity : m + std::log(l);
    for (Real& x : o_) x = empty ? Real{0} : rounding_.output(x / l);
    std::copy(o_.begin(), o_.end(), out_.o.row(row.b, row.h, row.i));
    *out_.lse.row(row.b, row.h, row.i) = static_cast<double>(lse);
    return lse;
  }

  // Leaves dQ of the row, adds to dK and dV; returns the row's share of the sink logit's gradient.
  Real backward(const Row& row, Real lse) {
    const Real* q = q_.row(row.b, row.h, row.i);
    const Real* d_o = d_o_.row(row.b, row.h, row.i);
    const Real delta = dot(d_o, static_cast<const Real*>(o_.data()), problem_.dim_v);
    std::fill(dq_.begin(), dq_.end(), Real{0});
    for_each_key(row.keys, [&](std::int64_t j) {
      const auto at = static_cast<std::size_t>(j);
      const Real p = std::exp(scores_[at].value - lse);
      const Real dp = factors_[at] * dot(d_o, v_.row(row.b, row.h_kv, j), problem_.dim_v);
      const Real ds = rounding_.weight(p * (dp - delta) * scores_[at].steepness) * scorer_.scale();
      add_scaled(ds, k_.row(row.b, row.h_kv, j), dq_.data(), problem_.dim_qk);
      add_scaled(ds, q, dk_.row(row.b, row.h_kv, j), problem_.dim_qk);
      add_scaled(rounding_.weight(p) * factors_[at], d_o, dv_.row(row.b, row.h_kv, j), problem_.dim_v);
    });
    if (q_turn_) q_turn_->turn_back(row.i, dq_.data());
    double* dq = out_.dq.row(row.b, row.h, row.i);
    for (const Real x : dq_) *dq++ = static_cast<double>(rounding_.output(x));
    const std::optional<Real> sink = sink_of(row.h);
    return sink ? -std::exp(*sink - lse) * delta : Real{0};
  }

  Tensor finished(Array<Real>& x, bool turned = true) {
    if (turned && k_turn_) for_each_row(x, [this](std::int64_t r, Real* row) { k_turn_->turn_back(r, row); });
    Tensor out(x.shape);
    std::transform(x.values.begin(), x.values.end(), out.values.begin(),
                   [this](Real value) { return static_cast<double>(rounding_.output(value)); });
    return out;
  }

  std::optional<Real> sink_of(std::int64_t head) const {
    if (inputs_.sink_logit.empty()) return std::nullopt;
    return static_cast<Real>(inputs_.sink_logit[static_cast<std::size_t>(head)]);
  }

  static void add_scaled(Real factor, const Real* from, Real* into, std::int64_t dim) {
    for (std::int64_t d = 0; d < dim; ++d) into[d] += factor * from[d];
  }

  const Problem& problem_;
  const Inputs& inputs_;
  Rounding rounding_;
  Scorer<Real> scorer_;
  Array<Real> q_, k_, v_, d_o_;  // Q and K turned
  Array<Real> dk_, dv_;          // dK in the turned space
  std::optional<Rotation<Real>> q_turn_, k_turn_;
  std::vector<Score<Real>> scores_;  // [Skv] of the row at hand
  std::vector<Real> factors_;        // [Skv] dropout
  std::vector<Real> o_, dq_;         // [Dv], [Dqk] of the row at hand
  Outputs out_;
};

}  // namespace ringscope
