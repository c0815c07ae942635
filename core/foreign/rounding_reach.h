// How far rounding alone can carry each element of a right kernel's outputs: condition numbers times the largest errors
// of single roundings (docs/numerics.md, "Each row by itself"). Gathered tile by tile beside the attention.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/foreign/tiled_scores.h"

namespace ringscope {

// Unit roundoffs, and the least that is not lost.
struct RoundedTo {
  double weights_unit = 0;  // of P where it meets V
  double stored_unit = 0;   // the coarsest of P and dS in the backward, and of outputs
  double least_weight = 0, least_gradient = 0;
};

template <class Real>
class RoundingReach {
 public:
  RoundingReach(const Problem& problem, const Inputs& terms, RoundedTo to)
      : problem_(problem), slopes_(terms.alibi_slope), to_(to) {
    const std::int64_t longest = std::max(problem.len_kv, problem.len_q * problem.group());
    sum_unit_ = roundings(problem.dim_qk + problem.dim_v + longest + few);
    score_unit_ = roundings(problem.dim_qk + few);
    if (problem.terms.rope_base > 0) {
      score_unit_ *= 2 + std::abs(static_cast<double>(problem.mask_rows().key_position(problem.len_q))) +
                     static_cast<double>(problem.len_kv);
    }
    kept_most_ = 1 / (1 - problem.terms.dropout);
  }

  // k [Skv, Dqk] turned, v [Skv, Dv].
  void take_keys(std::span<const Real> k, std::span<const Real> v) {
    k_sizes_.emplace(sizes(k), problem_.dim_qk), v_sizes_.emplace(sizes(v), problem_.dim_v);
    k_norms_ = norms(k, problem_.dim_qk), v_norms_ = norms(v, problem_.dim_v);
    k_most_ = most(k), v_most_ = most(v), v_norm_most_ = *std::max_element(v_norms_.begin(), v_norms_.end());
    const auto padded = static_cast<std::size_t>((problem_.len_kv + tile_keys - 1) / tile_keys * tile_keys);
    k_norms_.resize(padded), v_norms_.resize(padded);
    dk_lost_ = dv_lost_ = 0;
    if (!problem_.has_backward()) return;
    dk_.assign(k.size(), Real{0}), dv_.assign(v.size(), Real{0});
  }

  // q [Sq, Dqk] turned, d_o [Sq, Dv] or nothing, of one query head.
  void take_queries(std::int64_t head, std::span<const Real> q, std::span<const Real> d_o) {
    q_norms_ = norms(q, problem_.dim_qk), d_o_norms_ = norms(d_o, problem_.dim_v);
    q_sizes_ = sizes(q), d_o_sizes_ = sizes(d_o);
    const double slope = !problem_.terms.alibi ? 0
                         : !slopes_.empty()
                             ? slopes_[static_cast<std::size_t>(head)]
                             : std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(problem_.heads_q));
    bias_most_ = std::abs(slope) * static_cast<double>(problem_.len_q + problem_.len_kv);
    o_.assign(static_cast<std::size_t>(problem_.len_q * problem_.dim_v), Real{0});
    lse_.assign(static_cast<std::size_t>(problem_.len_q), Real{0});
    dq_.assign(problem_.has_backward() ? q.size() : 0, Real{0});
  }

  void begin_rows() { k_norms_seen_.fill(0); }

  // weights: exp(score - m) as they meet V. O so far was multiplied by `shrinks` [count].
  void absorb(const TileRows& rows, std::int64_t tile, const Tile<Real>& weights, std::span<const Real> shrinks) {
    Real* o = o_.data() + rows.first * problem_.dim_v;
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Real shrink = shrinks[static_cast<std::size_t>(r)];
      for (std::int64_t d = 0; shrink != 1 && d < problem_.dim_v; ++d) o[r * problem_.dim_v + d] *= shrink;
      double& seen = k_norms_seen_[static_cast<std::size_t>(r)];
      for (std::int64_t j = tile * tile_keys; j < (tile + 1) * tile_keys; ++j) {
        if (rows.of(r).contains(j)) seen = std::max(seen, k_norms_[static_cast<std::size_t>(j)]);
      }
    }
    add_product<Zeros::skip>(rows.count, tile_keys, problem_.dim_v, Strided<Real>{weights.data(), tile_keys, 1},
                             v_sizes_->rows(tile), problem_.dim_v, o, problem_.dim_v);
  }

  // The sums of row r become averages when they are multiplied by `normalise`.
  void finish_row(const TileRows& rows, std::int64_t r, Real normalise) {
    const auto row = static_cast<std::size_t>(rows.first + r), at = static_cast<std::size_t>(r);
    const double scores = std::abs(problem_.scale()) * q_norms_[row] * k_norms_seen_[at];
    const double weights = sum_unit_ + 2 * score_unit_ * (1 + scores) + 2 * few * unit * bias_most_;
    lse_[row] = static_cast<Real>(to_.weights_unit + weights);
    // Beyond first order: which key wins is no longer told by the compute type.
    rates_[at] = weights < 0.1 ? 2 * to_.stored_unit + weights : std::numeric_limits<double>::infinity();
    const double rate_of_o = rates_[at] - to_.stored_unit + to_.weights_unit;
    const double lost = to_.least_weight * static_cast<double>(problem_.len_kv) * v_most_;
    for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
      Real& o = o_[row * static_cast<std::size_t>(problem_.dim_v) + static_cast<std::size_t>(d)];
      const double sum = static_cast<double>(o * normalise);
      o = static_cast<Real>(sum * rate_of_o + lost);
      if (std::isinf(rates_[at])) o = std::numeric_limits<Real>::infinity();
    }
  }

  // What the error of O, o [Sq, Dv], does to delta of each row.
  void take_deltas(const TileRows& rows, std::span<const Real> o) {
    const double dot_unit = roundings(problem_.dim_v + few);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      double error = 0;
      for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
        const auto at = static_cast<std::size_t>((rows.first + r) * problem_.dim_v + d);
        const double size = static_cast<double>(d_o_sizes_[at]);
        if (size > 0) error += size * (static_cast<double>(o_[at]) + (to_.stored_unit + dot_unit) * std::fabs(o[at]));
      }
      delta_errors_[static_cast<std::size_t>(r)] = error;
    }
  }

  // weights: P, 0 where hidden; cancels: P (|dP| + |delta|) times the softcap's derivative.
  void add_gradients(const TileRows& rows, std::int64_t tile, std::int64_t keys, const Tile<Real>& weights,
                     const Tile<Real>& cancels) {
    const std::int64_t dim = problem_.dim_qk, dim_v = problem_.dim_v;
    for (std::int64_t r = 0; r < rows.count; ++r) form_row(rows, r, tile, weights, cancels);
    add_product<Zeros::skip>(rows.count, tile_keys, dim, Strided<Real>{d_scores_.data(), tile_keys, 1},
                             k_sizes_->rows(tile), dim, dq_.data() + rows.first * dim, dim);
    add_product<Zeros::skip>(keys, rows.count, dim, Strided<Real>{d_scores_.data(), 1, tile_keys},
                             q_sizes_.data() + rows.first * dim, dim, dk_.data() + tile * tile_keys * dim, dim);
    add_product<Zeros::skip>(keys, rows.count, dim_v, Strided<Real>{weights_.data(), 1, tile_keys},
                             d_o_sizes_.data() + rows.first * dim_v, dim_v, dv_.data() + tile * tile_keys * dim_v,
                             dim_v);
  }

  // After the last row of a query head.
  void finish_queries() {
    if (!problem_.has_backward()) return;
    const double d_o_norm = *std::max_element(d_o_norms_.begin(), d_o_norms_.end());
    const double scale = std::abs(problem_.scale());
    const double lost = to_.least_gradient * (4 * scale * d_o_norm * v_norm_most_ * kept_most_ + std::max(scale, 1.0));
    finish(dq_, lost * static_cast<double>(problem_.len_kv) * k_most_);
    const auto rows = static_cast<double>(problem_.len_q);
    dk_lost_ += lost * rows * most<Real>(q_sizes_);
    dv_lost_ += to_.least_gradient * rows * most<Real>(d_o_sizes_) * kept_most_;
  }

  // After the last query head of the group.
  void finish_keys() {
    if (!problem_.has_backward()) return;
    finish(dk_, dk_lost_);
    for (Real& x : dv_) x += static_cast<Real>(dv_lost_);
  }

  // Of one query head, then of the KV head; not finite: anything may come out of a right kernel.
  std::span<const Real> o() const { return o_; }
  std::span<const Real> lse() const { return lse_; }
  std::span<const Real> dq() const { return dq_; }
  std::span<const Real> dk() const { return dk_; }
  std::span<const Real> dv() const { return dv_; }

 private:
  static constexpr std::int64_t few = 64;  // roundings beside the long sums: exp, log, merges of some dozen parts
  static constexpr double unit = sizeof(Real) == sizeof(double) ? 0x1p-53 : 0x1p-24;

  // The worst error of n roundings: all of one sign, or, for long sums, six times what random signs give.
  static double roundings(std::int64_t n) {
    const double count = static_cast<double>(n);
    return std::min(count, 6 * std::sqrt(count)) * unit;
  }
  static std::vector<Real> sizes(std::span<const Real> x) {
    std::vector<Real> out(x.begin(), x.end());
    for (Real& value : out) value = std::fabs(value);
    return out;
  }
  static std::vector<double> norms(std::span<const Real> x, std::int64_t dim) {
    std::vector<double> out(x.size() / static_cast<std::size_t>(dim));
    for (std::size_t n = 0; n < x.size(); ++n) {
      out[n / static_cast<std::size_t>(dim)] += static_cast<double>(x[n]) * static_cast<double>(x[n]);
    }
    for (double& value : out) value = std::sqrt(value);
    return out;
  }
  static double most(std::span<const Real> x) {
    double out = 0;
    for (const Real value : x) out = std::isfinite(value) ? std::max(out, std::fabs(static_cast<double>(value))) : out;
    return out;
  }
  template <class>
  static double most(const std::vector<Real>& x) {
    return most(std::span<const Real>(x));
  }

  void form_row(const TileRows& rows, std::int64_t r, std::int64_t tile, const Tile<Real>& weights,
                const Tile<Real>& cancels) {
    const auto row = static_cast<std::size_t>(r);
    const double rate = rates_[row], d_o = d_o_norms_[static_cast<std::size_t>(rows.first + r)];
    const double product = roundings(problem_.dim_v + few) * d_o * kept_most_;
    for (std::int64_t j = 0; j < tile_keys; ++j) {
      const auto at = static_cast<std::size_t>(r * tile_keys + j), key = static_cast<std::size_t>(tile * tile_keys + j);
      const double p = static_cast<double>(weights[at]);
      double weight = 0, d_score = 0;
      if (std::isinf(rate) && rows.of(r).contains(tile * tile_keys + j)) {
        weight = kept_most_;
        d_score = 2 * d_o * (v_norms_[key] + v_norm_most_) * kept_most_;
      } else if (p > 0) {
        weight = rate * p * kept_most_;
        d_score = rate * static_cast<double>(cancels[at]) + p * (product * v_norms_[key] + delta_errors_[row]);
      }
      weights_[at] = static_cast<Real>(weight), d_scores_[at] = static_cast<Real>(d_score);
    }
  }

  // Scaled; RoPE's way back mixes the two of a pair.
  void finish(std::vector<Real>& x, double lost) const {
    const double scale = std::abs(problem_.scale());
    for (Real& value : x) value = static_cast<Real>(static_cast<double>(value) * scale + lost);
    if (problem_.terms.rope_base == 0) return;
    const auto dim = static_cast<std::size_t>(problem_.dim_qk), half = dim / 2;
    for (std::size_t row = 0; row < x.size(); row += dim) {
      for (std::size_t d = 0; d < half; ++d) x[row + d] = x[row + d + half] = x[row + d] + x[row + d + half];
    }
  }

  const Problem& problem_;
  std::vector<double> slopes_;  // [Hq] or none
  RoundedTo to_;
  double sum_unit_ = 0, score_unit_ = 0, kept_most_ = 1;

  std::optional<TiledKeys<Real>> k_sizes_, v_sizes_;             // absolute values
  std::vector<double> k_norms_, v_norms_, q_norms_, d_o_norms_;  // Euclidean, of rows
  double k_most_ = 0, v_most_ = 0, v_norm_most_ = 0, bias_most_ = 0;
  double dk_lost_ = 0, dv_lost_ = 0;       // to weights below the least that a type holds
  std::vector<Real> q_sizes_, d_o_sizes_;  // [Sq, D]
  std::vector<Real> o_, lse_, dq_, dk_, dv_;

  // Of the rows at hand: the largest |k| seen, the relative error of a weight, the error of delta.
  std::array<double, static_cast<std::size_t>(tile_rows)> k_norms_seen_{}, rates_{}, delta_errors_{};
  Tile<Real> weights_{}, d_scores_{};
};

}  // namespace ringscope
