// Attention in tiles of 32 keys with a running softmax, one KV head and the query heads that read it at a time: in fp64
// the blocked oracle, in the file's types the yardstick (docs/numerics.md, "Tensors that others made").
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/dense_rows.h"
#include "core/error.h"
#include "core/foreign/group_roundings.h"
#include "core/foreign/rounding_reach.h"
#include "core/foreign/tile_round.h"
#include "core/foreign/tiled_scores.h"

namespace ringscope {

// What is rounded to which type; absent: nothing. In double nothing ever is.
struct TileRounding {
  std::optional<ElementType> weights;    // P where it meets V
  std::optional<ElementType> gradients;  // P and dS where they enter dQ, dK, dV
  std::optional<ElementType> o;
};
// Whether what the judge's floors need is measured too: the largest score, what cancels in dQ and dK, the reach of
// rounding.
enum class Floors : std::uint8_t { ignore, measure };

// Called with the pairs done after each tile of rows; from whichever thread.
using CountPairs = std::function<void(std::int64_t pairs)>;

template <class Real>
class TiledAttention {
 public:
  // `terms`: slopes, sink logits and the dropout seed; its tensors are not read.
  TiledAttention(const Problem& problem, const Inputs& terms, TileRounding rounding, Floors floors)
      : problem_(problem),
        mask_(problem.mask_rows()),
        scorer_(problem, terms),
        rounding_(rounding),
        floors_(floors),
        sinks_(terms.sink_logit.begin(), terms.sink_logit.end()) {
    if (floors == Floors::measure) reach_.emplace(problem, terms, roundings());
    if (problem.terms.rope_base > 0) {
      q_turn_.emplace(q_rotation<Real>(problem));
      k_turn_.emplace(k_rotation<Real>(problem));
    }
  }

  // k [Skv, Dqk], v [Skv, Dv]. Sets dK and dV to 0.
  void take_keys(std::int64_t batch, std::span<const double> k, std::span<const double> v) {
    batch_ = batch;
    find_seen_keys();
    const std::vector<Real> k_rows = turned(k, problem_.dim_qk, k_turn_);
    const std::vector<Real> v_rows(v.begin(), v.end());
    keys_finite_ = all_finite<Real>(k_rows) && all_finite<Real>(v_rows);
    k_.emplace(k_rows, problem_.dim_qk);
    v_.emplace(v_rows, problem_.dim_v);
    if (reach_) reach_->take_keys(k_rows, v_rows);
    if (!problem_.has_backward()) return;
    dk_.assign(k_rows.size(), Real{0}), dv_.assign(v_rows.size(), Real{0});
    if (floors_ == Floors::ignore) return;
    if (problem_.group() > 1) dk_added_.emplace(k_rows.size()), dv_added_.emplace(v_rows.size());
    k_sizes_.emplace(sizes(k_rows), problem_.dim_qk);
    dk_cancels_.assign(k_rows.size(), Real{0});
  }

  // q [Sq, Dqk] of one query head, d_o [Sq, Dv] or nothing. Fills O, LSE, dQ; adds to dK, dV.
  void attend(std::int64_t head, std::span<const double> q, std::span<const double> d_o, const CountPairs& count) {
    q_ = turned(q, problem_.dim_qk, q_turn_);
    d_o_.assign(d_o.begin(), d_o.end());
    finite_ = keys_finite_ && all_finite<Real>(q_) && all_finite<Real>(d_o_);
    o_.assign(static_cast<std::size_t>(problem_.len_q * problem_.dim_v), Real{0});
    lse_.resize(static_cast<std::size_t>(problem_.len_q));
    dq_.assign(problem_.has_backward() ? q_.size() : 0, Real{0});
    largest_score_ = 0;
    if (reach_) reach_->take_queries(head, q_, d_o_);
    if (floors_ == Floors::measure && problem_.has_backward()) {
      q_sizes_ = sizes(q_);
      dq_cancels_.assign(q_.size(), Real{0});
    }
    for (std::int64_t first = 0; first < problem_.len_q; first += tile_rows) {
      const TileRows rows(mask_, batch_, head, first, problem_.len_q);
      finite_ ? forward<Zeros::multiply>(rows) : forward<Zeros::skip>(rows);
      if (rounding_.o) round_all(*rounding_.o, rows_of(o_, rows, problem_.dim_v));
      if (problem_.has_backward()) finite_ ? backward<Zeros::multiply>(rows) : backward<Zeros::skip>(rows);
      count(rows.pairs());
    }
    if (reach_) reach_->finish_queries();
    for (std::vector<Real>* x : {&dq_, &dq_cancels_}) scale_all(*x);
    if (q_turn_) turn_back(dq_, problem_.dim_qk, *q_turn_);
    if (dk_added_) note_sums();
  }

  // After the last query head of the group.
  void finish_keys() {
    if (reach_) reach_->finish_keys();
    for (std::vector<Real>* x : {&dk_, &dk_cancels_}) scale_all(*x);
    if (k_turn_) turn_back(dk_, problem_.dim_qk, *k_turn_);
  }

  std::span<Real> o() { return o_; }
  std::span<Real> lse() { return lse_; }
  std::span<Real> dq() { return dq_; }
  std::span<Real> dk() { return dk_; }
  std::span<Real> dv() { return dv_; }
  // The sums of absolute values that cancel in dQ and dK, as absolute values of the turned space.
  std::span<const Real> dq_cancels() const { return dq_cancels_; }
  std::span<const Real> dk_cancels() const { return dk_cancels_; }
  const RoundingReach<Real>& reach() const { return *reach_; }  // where floors are measured
  // What a group's sums are rounded at on the way (core/foreign/group_roundings.h); none for a group of one.
  std::vector<Real> dk_rounded() const { return dk_added_ ? dk_added_->rounded() : std::vector<Real>{}; }
  std::vector<Real> dv_rounded() const { return dv_added_ ? dv_added_->rounded() : std::vector<Real>{}; }
  // Of the query head: |scale q.k| of all queries that see a key with all keys that some query sees, hidden pairs too.
  Real largest_score() const { return largest_score_; }

 private:
  static std::vector<Real> turned(std::span<const double> rows, std::int64_t dim,
                                  const std::optional<Rotation<Real>>& turn) {
    std::vector<Real> out(rows.begin(), rows.end());
    for (std::size_t r = 0; turn && r < out.size() / static_cast<std::size_t>(dim); ++r) {
      turn->turn(static_cast<std::int64_t>(r), out.data() + r * static_cast<std::size_t>(dim));
    }
    return out;
  }
  static void turn_back(std::vector<Real>& rows, std::int64_t dim, const Rotation<Real>& turn) {
    for (std::size_t r = 0; r < rows.size() / static_cast<std::size_t>(dim); ++r) {
      turn.turn_back(static_cast<std::int64_t>(r), rows.data() + r * static_cast<std::size_t>(dim));
    }
  }
  RoundedTo roundings() const {
    const double sums = unit_roundoff(sizeof(Real) == sizeof(double) ? ElementType::f64 : ElementType::f32);
    const auto unit = [=](const auto& type) { return type ? std::max(sums, unit_roundoff(*type)) : sums; };
    const double stored = std::max(unit(rounding_.gradients), unit(rounding_.o));
    return {.weights_unit = std::max(unit(rounding_.weights), stored),
            .stored_unit = stored,
            .least_weight = least_weight(rounding_.weights),
            .least_gradient = least_weight(rounding_.gradients)};
  }
  // The largest weight that a kernel may lose altogether: half of the least subnormal of small types, elsewhere the
  // least normal.
  static double least_weight(const std::optional<ElementType>& type) {
    if (type == ElementType::f16) return 0x1p-25;
    if (type == ElementType::e4m3) return 0x1p-10;
    return static_cast<double>(std::numeric_limits<Real>::min());
  }
  void note_sums() {
    std::vector<Real> dk = dk_;
    scale_all(dk);
    if (k_turn_) turn_back(dk, problem_.dim_qk, *k_turn_);
    dk_added_->note(dk), dv_added_->note(dv_);
  }
  static std::vector<Real> sizes(std::vector<Real> rows) {
    for (Real& x : rows) x = std::fabs(x);
    return rows;
  }
  void scale_all(std::vector<Real>& x) const {
    for (Real& value : x) value *= scorer_.scale();
  }
  static std::span<Real> rows_of(std::vector<Real>& x, const TileRows& rows, std::int64_t dim) {
    return std::span(x).subspan(static_cast<std::size_t>(rows.first * dim), static_cast<std::size_t>(rows.count * dim));
  }

  // From the first to the last key that any query of the batch entry sees.
  void find_seen_keys() {
    seen_begin_ = problem_.len_kv, seen_end_ = 0;
    for (std::int64_t i = 0; i < problem_.len_q; ++i) {
      for_each_run(mask_.row(batch_, i), [this](std::int64_t begin, std::int64_t end) {
        seen_begin_ = std::min(seen_begin_, begin), seen_end_ = std::max(seen_end_, end);
      });
    }
  }
  template <class Visit>  // visit(begin, end)
  static void for_each_run(const KeyInterval& keys, Visit&& visit) {
    if (keys.sink_begin < keys.sink_end) visit(keys.sink_begin, keys.sink_end);
    if (keys.lo < keys.hi) visit(keys.lo, keys.hi);
  }

  enum class Largest : std::uint8_t { ignore, take };

  // visit(tile, coverage) with the tile's scores at hand.
  template <class Visit>
  void for_each_tile(const TileRows& rows, Largest largest, Visit&& visit) {
    const std::int64_t tiles = (problem_.len_kv + tile_keys - 1) / tile_keys;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const Coverage covered = coverage(rows, tile);
      if (covered == Coverage::empty && largest == Largest::ignore) continue;
      scorer_.multiply(rows, q_.data() + rows.first * problem_.dim_qk, *k_, tile, scores_.value);
      if (largest == Largest::take) take_largest(rows, tile);
      if (covered == Coverage::empty) continue;
      scorer_.add_terms(rows, tile, covered, scores_);
      visit(tile, covered);
    }
  }

  void take_largest(const TileRows& rows, std::int64_t tile) {
    const std::int64_t begin = std::max<std::int64_t>(seen_begin_ - tile * tile_keys, 0);
    const std::int64_t end = std::min(seen_end_ - tile * tile_keys, tile_keys);
    for (std::int64_t r = 0; r < rows.count; ++r) {
      if (rows.of(r).size() == 0) continue;
      for (std::int64_t j = begin; j < end; ++j) {
        const Real size = std::fabs(scores_.value[static_cast<std::size_t>(r * tile_keys + j)]);
        largest_score_ = size > largest_score_ && size <= std::numeric_limits<Real>::max() ? size : largest_score_;
      }
    }
  }

  static void round_tile(const std::optional<ElementType>& type, Tile<Real>& x) {
    if (type) round_all(*type, std::span<Real>(x));
  }

  template <Zeros zeros>
  void forward(const TileRows& rows) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    const std::int64_t dim = problem_.dim_v;
    m_.fill(-infinity), l_.fill(Real{0});
    Real* o = o_.data() + rows.first * dim;  // [count, Dv], not yet divided by l
    const Largest largest = floors_ == Floors::measure ? Largest::take : Largest::ignore;
    if (reach_) reach_->begin_rows();
    for_each_tile(rows, largest, [&](std::int64_t tile, Coverage) {
      for (std::int64_t r = 0; r < rows.count; ++r) absorb_scores(r, o + r * dim);
      weights_ = scores_.value;
      round_tile(rounding_.weights, weights_);
      if (scorer_.has_dropout()) multiply(weights_, scores_.kept);
      add_product<zeros>(rows.count, tile_keys, dim, Strided<Real>{weights_.data(), tile_keys, 1}, v_->rows(tile), dim,
                         o, dim);
      if (reach_) reach_->absorb(rows, tile, weights_, shrinks_);
    });
    for (std::int64_t r = 0; r < rows.count; ++r) finish_row(rows, r, o + r * dim);
  }

  // Scores of row r become exp(score - m); l and O follow the new maximum.
  void absorb_scores(std::int64_t r, Real* o) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Real* s = scores_.value.data() + r * tile_keys;
    Real& m = m_[static_cast<std::size_t>(r)];
    Real& l = l_[static_cast<std::size_t>(r)];
    Real highest = -infinity;
    for (std::int64_t j = 0; j < tile_keys; ++j) highest = s[j] > highest || s[j] != s[j] ? s[j] : highest;
    const Real before = m;
    m = highest > m || highest != highest ? highest : m;
    shrinks_[static_cast<std::size_t>(r)] = 1;
    if (m == -infinity) {
      std::fill(s, s + tile_keys, Real{0});
      return;
    }
    const Real shrink = before == -infinity ? Real{0} : math::exp(before - m);
    shrinks_[static_cast<std::size_t>(r)] = shrink;
    Real sum = 0;
    for (std::int64_t j = 0; j < tile_keys; ++j) s[j] = s[j] == -infinity ? Real{0} : math::exp(s[j] - m);
    for (std::int64_t j = 0; j < tile_keys; ++j) sum += s[j];
    l = l * shrink + sum;
    for (std::int64_t d = 0; d < problem_.dim_v; ++d) o[d] = shrink == 0 ? Real{0} : o[d] * shrink;
  }

  void finish_row(const TileRows& rows, std::int64_t r, Real* o) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    Real m = m_[static_cast<std::size_t>(r)], l = l_[static_cast<std::size_t>(r)];
    Real shrink = 1;
    if (!sinks_.empty()) {
      const Real sink = sinks_[static_cast<std::size_t>(rows.head)];
      const Real before = m;
      m = std::max(m, sink);
      shrink = before == -infinity ? Real{0} : math::exp(before - m);
      l = l * shrink + math::exp(sink - m);
    }
    // Keys that all score -infinity: 0/0, as in a softmax that is written out.
    if (l == 0 && rows.of(r).size() > 0) l = std::numeric_limits<Real>::quiet_NaN();
    const bool empty = l == 0;
    for (std::int64_t d = 0; d < problem_.dim_v; ++d) o[d] = empty ? Real{0} : o[d] * shrink / l;
    lse_[static_cast<std::size_t>(rows.first + r)] = empty ? -infinity : m + math::log(l);
    if (reach_) reach_->finish_row(rows, r, empty ? Real{0} : shrink / l);
  }

  template <Zeros zeros>
  void backward(const TileRows& rows) {
    const std::int64_t dim = problem_.dim_qk, dim_v = problem_.dim_v;
    const Real* q = q_.data() + rows.first * dim;
    const Real* d_o = d_o_.data() + rows.first * dim_v;
    Real* dq = dq_.data() + rows.first * dim;
    take_deltas(rows);
    for_each_tile(rows, Largest::ignore, [&](std::int64_t tile, Coverage covered) {
      d_weights_.fill(Real{0});
      add_product<Zeros::multiply>(rows.count, dim_v, tile_keys, Strided<Real>{d_o, dim_v, 1}, v_->turned(tile),
                                   tile_keys, d_weights_.data(), tile_keys);
      if (scorer_.has_dropout()) multiply(d_weights_, scores_.kept);
      form_d_scores(rows);
      if (covered != Coverage::full) {
        for (Tile<Real>* x : {&weights_, &d_scores_, &cancels_}) TileScorer<Real>::hide(rows, tile, Real{0}, *x);
      }
      const std::int64_t keys = std::min(tile_keys, problem_.len_kv - tile * tile_keys), at = tile * tile_keys;
      if (reach_) reach_->add_gradients(rows, tile, keys, weights_, cancels_);
      round_tile(rounding_.gradients, weights_), round_tile(rounding_.gradients, d_scores_);
      if (scorer_.has_dropout()) multiply(weights_, scores_.kept);
      const Strided<Real> by_row{d_scores_.data(), tile_keys, 1}, by_key{d_scores_.data(), 1, tile_keys};
      add_product<zeros>(rows.count, tile_keys, dim, by_row, k_->rows(tile), dim, dq, dim);
      add_product<zeros>(keys, rows.count, dim, by_key, q, dim, dk_.data() + at * dim, dim);
      add_product<zeros>(keys, rows.count, dim_v, Strided<Real>{weights_.data(), 1, tile_keys}, d_o, dim_v,
                         dv_.data() + at * dim_v, dim_v);
      if (floors_ == Floors::measure) add_cancels(rows, tile, keys);
    });
  }

  void take_deltas(const TileRows& rows) {
    const std::int64_t dim = problem_.dim_v;
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const std::int64_t at = (rows.first + r) * dim;
      delta_[static_cast<std::size_t>(r)] = dot(d_o_.data() + at, o_.data() + at, dim);
    }
    if (reach_) reach_->take_deltas(rows, o_);
  }

  // P, dS (without the scale) and the size of what cancels in dS, for one tile.
  void form_d_scores(const TileRows& rows) {
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const Real lse = lse_[static_cast<std::size_t>(rows.first + r)], delta = delta_[static_cast<std::size_t>(r)];
      const std::int64_t at = r * tile_keys;
      const Real* s = scores_.value.data() + at;
      const Real* dp = d_weights_.data() + at;
      Real *p = weights_.data() + at, *ds = d_scores_.data() + at, *cancels = cancels_.data() + at;
      for (std::int64_t j = 0; j < tile_keys; ++j) {
        p[j] = math::exp(s[j] - lse);
        ds[j] = p[j] * (dp[j] - delta);
        cancels[j] = p[j] * (std::fabs(dp[j]) + std::fabs(delta));
      }
    }
    if (!scorer_.has_cap()) return;
    multiply(d_scores_, scores_.steepness);
    multiply(cancels_, scores_.steepness);
  }

  // Sums of absolute values, for one tile.
  void add_cancels(const TileRows& rows, std::int64_t tile, std::int64_t keys) {
    const std::int64_t dim = problem_.dim_qk;
    add_product<Zeros::skip>(rows.count, tile_keys, dim, Strided<Real>{cancels_.data(), tile_keys, 1},
                             k_sizes_->rows(tile), dim, dq_cancels_.data() + rows.first * dim, dim);
    add_product<Zeros::skip>(keys, rows.count, dim, Strided<Real>{cancels_.data(), 1, tile_keys},
                             q_sizes_.data() + rows.first * dim, dim, dk_cancels_.data() + tile * tile_keys * dim, dim);
  }

  void multiply(Tile<Real>& x, const Tile<Real>& factors) const {
    for (std::size_t at = 0; at < x.size(); ++at) x[at] *= factors[at];
  }

  const Problem& problem_;
  MaskRows mask_;
  TileScorer<Real> scorer_;
  TileRounding rounding_;
  Floors floors_;
  std::vector<Real> sinks_;  // [Hq] or none
  std::optional<Rotation<Real>> q_turn_, k_turn_;

  std::int64_t batch_ = 0;
  std::int64_t seen_begin_ = 0, seen_end_ = 0;
  bool keys_finite_ = true, finite_ = true;
  std::optional<TiledKeys<Real>> k_, v_, k_sizes_;  // k turned by RoPE; sizes: absolute values
  std::vector<Real> q_, q_sizes_, d_o_;             // [Sq, D] of the query head; q turned
  std::vector<Real> o_, lse_, dq_, dk_, dv_, dq_cancels_, dk_cancels_;
  Real largest_score_ = 0;
  std::optional<RoundingReach<Real>> reach_;
  std::optional<GroupRoundings<Real>> dk_added_, dv_added_;

  std::array<Real, static_cast<std::size_t>(tile_rows)> m_{}, l_{}, delta_{}, shrinks_{};  // of the rows at hand
  TileScores<Real> scores_;
  Tile<Real> weights_{}, d_weights_{}, d_scores_{}, cancels_{};  // P, dP, dS, sizes of what cancels in dS
};

}  // namespace ringscope
