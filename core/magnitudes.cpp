// First-order error analysis as a program: every line is the derivative of the same line of the oracle, with absolute
// values (docs/numerics.md, "The magnitude C").
#include <algorithm>
#include <limits>
#include <optional>

#include "core/dense_rows.h"
#include "core/oracle.h"

namespace ringscope {

namespace {

using Values = Array<double>;

void take_absolute(Values& x) {
  for (double& value : x.values) value = std::abs(value);
}

// A row's keys as the oracle has them, and what a unit of relative rounding can do to each.
struct Key {
  Score<double> score;
  double factor = 1;     // dropout
  double product = 0;    // |scale| sum |q||k|
  double magnitude = 0;  // of the score, all terms
};

class Magnitudes {
 public:
  Magnitudes(const Problem& problem, const Inputs& inputs)
      : problem_(problem),
        inputs_(inputs),
        scorer_(problem, inputs),
        q_(inputs.q),
        k_(inputs.k),
        v_(inputs.v),
        d_o_(inputs.d_o),
        abs_q_(inputs.q),
        abs_k_(inputs.k),
        dk_(problem.has_backward() ? problem.shape_k() : Shape{}),
        keys_(static_cast<std::size_t>(problem.len_kv)),
        o_(static_cast<std::size_t>(problem.dim_v)) {
    take_absolute(abs_q_), take_absolute(abs_k_);
    if (problem.terms.rope_base > 0) turn_inputs();
    out_.o = Tensor(problem.shape_o()), out_.lse = Tensor(problem.shape_lse());
    if (!problem.has_backward()) return;
    out_.dq = Tensor(problem.shape_q()), out_.dv = Tensor(problem.shape_v());
    if (problem.terms.sink_logit) out_.d_sink.assign(static_cast<std::size_t>(problem.heads_q), 0.0);
  }

  Outputs run(const TellDone& tell) {
    const MaskRows mask = problem_.mask_rows();
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t h = 0; h < problem_.heads_q; ++h) {
        for (std::int64_t i = 0; i < problem_.len_q; ++i) {
          Row row{b, h, h / problem_.group(), i, mask.key_position(i), mask.row(b, i)};
          if (row.keys.size() == 0 && inputs_.sink_logit.empty()) continue;
          forward(row);
          if (problem_.has_backward()) backward(row);
          tell_done(tell, rows_done(problem_, b, h, i));
        }
      }
    }
    if (problem_.has_backward()) {
      if (k_turn_) for_each_row(dk_, [this](std::int64_t r, double* x) { k_turn_->turn_magnitudes(r, x); });
      out_.dk = Tensor(dk_.shape);
      out_.dk.values = std::move(dk_.values);
    }
    return std::move(out_);
  }

 private:
  struct Row {
    std::int64_t b, h, h_kv, i, p;
    KeyInterval keys;
    double lse = 0;
    double common = 0;  // relative error that all weights of the row share, in units of rounding
  };

  void turn_inputs() {
    const auto q_turn = q_rotation<double>(problem_);
    k_turn_.emplace(k_rotation<double>(problem_));
    for_each_row(q_, [&](std::int64_t r, double* x) { q_turn.turn(r, x); });
    for_each_row(k_, [&](std::int64_t r, double* x) { k_turn_->turn(r, x); });
    for_each_row(abs_q_, [&](std::int64_t r, double* x) { q_turn.turn_magnitudes(r, x); });
    for_each_row(abs_k_, [&](std::int64_t r, double* x) { k_turn_->turn_magnitudes(r, x); });
    q_turn_.emplace(q_turn);
  }

  Key& key(std::int64_t j) { return keys_[static_cast<std::size_t>(j)]; }

  double sink_of(std::int64_t head) const {
    if (inputs_.sink_logit.empty()) return -std::numeric_limits<double>::infinity();
    return inputs_.sink_logit[static_cast<std::size_t>(head)];
  }

  void score(const Row& row, std::int64_t j) {
    Key& at = key(j);
    const double product = dot(q_.row(row.b, row.h, row.i), k_.row(row.b, row.h_kv, j), problem_.dim_qk);
    at.score = scorer_(product, row.h, row.p, j);
    at.product = std::abs(scorer_.scale()) *
                 dot(abs_q_.row(row.b, row.h, row.i), abs_k_.row(row.b, row.h_kv, j), problem_.dim_qk);
    at.magnitude = at.product;
    if (scorer_.cap() > 0) at.magnitude = at.score.steepness * at.product + scorer_.cap() * std::abs(at.score.tanh);
    at.magnitude += std::abs(scorer_.bias(row.h, row.p, j));
  }

  void forward(Row& row) {
    DropoutRow dropout(problem_, inputs_.dropout_seed, row.b, row.h, row.i);
    const double sink = sink_of(row.h);
    double m = sink;
    for_each_key(row.keys, [&](std::int64_t j) {
      score(row, j);
      key(j).factor = dropout.factor<double>(j);
      m = std::max(m, key(j).score.value);
    });
    double l = std::exp(sink - m);
    double mean = l > 0 ? l * std::abs(sink) : 0;
    for_each_key(row.keys, [&](std::int64_t j) {
      const double p = std::exp(key(j).score.value - m);
      l += p;
      mean += p * key(j).magnitude;
    });
    row.lse = m + std::log(l);
    row.common = 1 + mean / l + std::abs(row.lse);
    *out_.lse.row(row.b, row.h, row.i) = row.common;

    double* c_o = out_.o.row(row.b, row.h, row.i);
    std::fill(o_.begin(), o_.end(), 0.0);
    for_each_key(row.keys, [&](std::int64_t j) {
      const double weight = key(j).factor * std::exp(key(j).score.value - row.lse);
      const double error = weight * (row.common + key(j).magnitude);
      const double* v = v_.row(row.b, row.h_kv, j);
      for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
        o_[static_cast<std::size_t>(d)] += weight * v[d];
        c_o[d] += error * std::abs(v[d]);
      }
    });
  }

  void backward(const Row& row) {
    const double* d_o = d_o_.row(row.b, row.h, row.i);
    const double* c_o = out_.o.row(row.b, row.h, row.i);
    const double* abs_q = abs_q_.row(row.b, row.h, row.i);
    double* c_dq = out_.dq.row(row.b, row.h, row.i);
    double delta = 0, delta_error = 0;
    for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
      delta += d_o[d] * o_[static_cast<std::size_t>(d)];
      delta_error += std::abs(d_o[d]) * c_o[d];
    }
    for_each_key(row.keys, [&](std::int64_t j) {
      const Key& at = key(j);
      const double* v = v_.row(row.b, row.h_kv, j);
      const double* abs_k = abs_k_.row(row.b, row.h_kv, j);
      double* c_dk = dk_.row(row.b, row.h_kv, j);
      double* c_dv = out_.dv.row(row.b, row.h_kv, j);
      const double p = std::exp(at.score.value - row.lse), p_error = p * (row.common + at.magnitude);
      double dp = 0, dp_error = 0;
      for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
        dp += at.factor * d_o[d] * v[d];
        dp_error += at.factor * std::abs(d_o[d] * v[d]);
        c_dv[d] += at.factor * p_error * std::abs(d_o[d]);
      }
      double ds_error = p_error * std::abs(dp - delta) + p * (dp_error + delta_error);
      if (scorer_.cap() > 0) {
        const double ds = p * std::abs(dp - delta);
        const double steepness_error =
            2 + 2 * std::abs(at.score.tanh) * at.score.steepness * at.product / scorer_.cap();
        ds_error = ds_error * at.score.steepness + ds * steepness_error;
      }
      ds_error *= std::abs(scorer_.scale());
      for (std::int64_t d = 0; d < problem_.dim_qk; ++d) {
        c_dq[d] += ds_error * abs_k[d];
        c_dk[d] += ds_error * abs_q[d];
      }
    });
    if (q_turn_) q_turn_->turn_magnitudes(row.i, c_dq);
    if (out_.d_sink.empty()) return;
    const double sink = sink_of(row.h), p = std::exp(sink - row.lse);
    out_.d_sink[static_cast<std::size_t>(row.h)] += p * ((row.common + std::abs(sink)) * std::abs(delta) + delta_error);
  }

  const Problem& problem_;
  const Inputs& inputs_;
  Scorer<double> scorer_;
  Values q_, k_, v_, d_o_, abs_q_, abs_k_, dk_;  // Q, K and their magnitudes turned
  std::optional<Rotation<double>> q_turn_, k_turn_;
  std::vector<Key> keys_;  // [Skv] of the row at hand
  std::vector<double> o_;  // [Dv] of the row at hand
  Outputs out_;
};

}  // namespace

Outputs magnitudes(const Problem& problem, const Inputs& inputs, const TellDone& tell) {
  return Magnitudes(problem, inputs).run(tell);
}

}  // namespace ringscope
