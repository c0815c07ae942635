// What the oracle, the baseline and the magnitudes share: turned Q and K, the keys of a row, scores. Standard library
// functions on purpose: the kernels have their own exp, tanh and rotation, and are judged by these.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/data.h"
#include "core/dropout.h"
#include "core/problem.h"

namespace ringscope {

template <class Visit>
void for_each_key(const KeyInterval& keys, Visit&& visit) {
  for (std::int64_t j = keys.sink_begin; j < keys.sink_end; ++j) visit(j);
  for (std::int64_t j = keys.lo; j < keys.hi; ++j) visit(j);
}

// How much of all rows is done once row i of head h is.
inline double rows_done(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  return static_cast<double>((b * p.heads_q + h) * p.len_q + i + 1) /
         static_cast<double>(p.batch * p.heads_q * p.len_q);
}

template <class Real>
Real dot(const Real* a, const Real* b, std::int64_t dim) {
  Real sum = 0;
  for (std::int64_t d = 0; d < dim; ++d) sum += a[d] * b[d];
  return sum;
}

// The same data in another type, laid out alike.
template <class Real>
struct Array {
  Shape shape;
  std::vector<Real> values;  // [B, H, S, D]

  explicit Array(Shape s) : shape(s), values(static_cast<std::size_t>(s.size())) {}
  explicit Array(const Tensor& tensor) : shape(tensor.shape), values(tensor.values.begin(), tensor.values.end()) {}

  Real* row(std::int64_t b, std::int64_t h, std::int64_t r) { return values.data() + offset(b, h, r); }  // [D]
  const Real* row(std::int64_t b, std::int64_t h, std::int64_t r) const { return values.data() + offset(b, h, r); }

 private:
  std::int64_t offset(std::int64_t b, std::int64_t h, std::int64_t r) const {
    return ((b * shape.heads + h) * shape.rows + r) * shape.dim;
  }
};

// RoPE (Su et al. 2021, "RoFormer", section 3.4.2): pairs (d, d + D/2) of the row at position pos turn by
// pos * base^(-2d/D). The angle is formed in long double, since its error grows with the position.
template <class Real>
class Rotation {
 public:
  // Row r stands at position first_position + r.
  Rotation(double base, std::int64_t dim, std::int64_t rows, std::int64_t first_position) : half_(dim / 2) {
    const auto size = static_cast<std::size_t>(rows * half_);
    angle_.reserve(size), cos_.reserve(size), sin_.reserve(size);
    std::vector<long double> frequency;
    for (std::int64_t d = 0; d < half_; ++d) {
      frequency.push_back(std::pow(static_cast<long double>(base),
                                   -2.0L * static_cast<long double>(d) / static_cast<long double>(dim)));
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (const long double f : frequency) {
        const long double angle = static_cast<long double>(first_position + r) * f;
        angle_.push_back(static_cast<Real>(angle));
        cos_.push_back(static_cast<Real>(std::cos(angle)));
        sin_.push_back(static_cast<Real>(std::sin(angle)));
      }
    }
  }

  void turn(std::int64_t row, Real* x) const { turn(row, x, Real{1}); }
  void turn_back(std::int64_t row, Real* x) const { turn(row, x, Real{-1}); }

  // The same, forward or back, on absolute values: a rounded angle moves the result by up to its own size (first
  // order), which is why it stands in the factors.
  void turn_magnitudes(std::int64_t row, Real* x) const {
    for (std::int64_t d = 0; d < half_; ++d) {
      const auto at = static_cast<std::size_t>(row * half_ + d);
      const Real c = std::abs(cos_[at]), s = std::abs(sin_[at]), a = std::abs(angle_[at]);
      const Real low = x[d], high = x[d + half_];
      x[d] = low * (c + a * s) + high * (s + a * c);
      x[d + half_] = high * (c + a * s) + low * (s + a * c);
    }
  }

 private:
  void turn(std::int64_t row, Real* x, Real direction) const {
    for (std::int64_t d = 0; d < half_; ++d) {
      const auto at = static_cast<std::size_t>(row * half_ + d);
      const Real c = cos_[at], s = direction * sin_[at];
      const Real low = x[d], high = x[d + half_];
      x[d] = low * c - high * s;
      x[d + half_] = high * c + low * s;
    }
  }

  std::int64_t half_;
  std::vector<Real> angle_, cos_, sin_;  // [rows, D/2]
};

template <class Real>
Rotation<Real> q_rotation(const Problem& problem) {
  return {problem.terms.rope_base, problem.dim_qk, problem.len_q, problem.mask_rows().key_position(0)};
}

template <class Real>
Rotation<Real> k_rotation(const Problem& problem) {
  return {problem.terms.rope_base, problem.dim_qk, problem.len_kv, 0};
}

// change(rotation, row index, row) on every row.
template <class Real, class Change>
void for_each_row(Array<Real>& x, Change&& change) {
  for (std::int64_t b = 0; b < x.shape.batch; ++b) {
    for (std::int64_t h = 0; h < x.shape.heads; ++h) {
      for (std::int64_t r = 0; r < x.shape.rows; ++r) change(r, x.row(b, h, r));
    }
  }
}

template <class Real>
struct Score {
  Real value = 0;      // after all terms
  Real steepness = 1;  // d value / d (scaled q.k)
  Real tanh = 0;       // of the softcap
};

// scale q.k, softcap, ALiBi, in this order.
template <class Real>
class Scorer {
 public:
  Scorer(const Problem& problem, const Inputs& inputs)
      : scale_(static_cast<Real>(problem.scale())),
        cap_(static_cast<Real>(problem.terms.softcap)),
        slopes_(inputs.alibi_slope.begin(), inputs.alibi_slope.end()) {
    if (!problem.terms.alibi || !slopes_.empty()) return;
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      slopes_.push_back(std::exp2(Real{-8} * static_cast<Real>(h + 1) / static_cast<Real>(problem.heads_q)));
    }
  }

  Real scale() const { return scale_; }
  Real cap() const { return cap_; }
  // ALiBi (Press et al. 2021, section 3): slope[h] (j - p).
  Real bias(std::int64_t head, std::int64_t p, std::int64_t j) const {
    return slopes_.empty() ? Real{0} : slopes_[static_cast<std::size_t>(head)] * static_cast<Real>(j - p);
  }
  Score<Real> operator()(Real product, std::int64_t head, std::int64_t p, std::int64_t j) const {
    Score<Real> score{.value = scale_ * product};
    if (cap_ > 0) {
      score.tanh = std::tanh(score.value / cap_);
      score.value = cap_ * score.tanh;
      score.steepness = 1 - score.tanh * score.tanh;
    }
    score.value += bias(head, p, j);
    return score;
  }

 private:
  Real scale_, cap_;
  std::vector<Real> slopes_;  // [Hq]; empty without ALiBi
};

// The factor of each weight of a row: 0 when dropped, 1 / (1 - probability) when kept. Ascending keys share lanes.
class DropoutRow {
 public:
  DropoutRow(const Problem& problem, std::uint64_t seed, std::int64_t batch, std::int64_t head, std::int64_t i)
      : probability_(problem.terms.dropout), seed_(seed), batch_(batch), head_(head), i_(i) {}

  template <class Real>
  Real factor(std::int64_t j) {
    if (probability_ == 0) return 1;
    if (j / 4 != group_) lanes_ = dropout_lanes(seed_, batch_, head_, i_, group_ = j / 4);
    if (!dropout_lane_keeps(lanes_[static_cast<std::size_t>(j % 4)], probability_)) return 0;
    return Real{1} / (Real{1} - static_cast<Real>(probability_));
  }

 private:
  double probability_;
  std::uint64_t seed_;
  std::int64_t batch_, head_, i_;
  std::int64_t group_ = -1;
  PhiloxCounter lanes_{};
};

}  // namespace ringscope
