#include "core/diagnosis/what_if.h"

#include <algorithm>
#include <cmath>

#include "core/dense_rows.h"

namespace ringscope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The State of one part or of the whole row.
struct RowState {
  double m = -infinity, l = 0;
  std::vector<double> O;  // [Dv]

  double lse() const { return l > 0 || std::isnan(l) ? m + std::log(l) : -infinity; }
};

class Recomputation {
 public:
  Recomputation(const Problem& problem, const Inputs& inputs, const Mistake& mistake)
      : problem_(problem), inputs_(inputs), mistake_(mistake), mask_(problem.mask_rows()), q_(inputs.q), k_(inputs.k) {
    if (problem.terms.rope_base > 0) {
      q_turn_.emplace(q_rotation<double>(problem));
      k_turn_.emplace(k_rotation<double>(problem));
      for_each_row(q_, [&](std::int64_t r, double* x) { q_turn_->turn(r, x); });
      for_each_row(k_, [&](std::int64_t r, double* x) { k_turn_->turn(r, x); });
    }
    out_.o = Tensor(problem.shape_o()), out_.lse = Tensor(problem.shape_lse());
    if (!problem.has_backward()) return;
    out_.dq = Tensor(problem.shape_q()), out_.dk = Tensor(problem.shape_k()), out_.dv = Tensor(problem.shape_v());
  }

  Outputs run() {
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t h = 0; h < problem_.heads_q; ++h) {
        for (std::int64_t i = 0; i < problem_.len_q; ++i) {
          row({b, h, i});
        }
      }
    }
    if (k_turn_ && problem_.has_backward()) turn_back(out_.dk);
    return std::move(out_);
  }

 private:
  void row(const RowAt& at) {
    kv_head_ = mistake_.kv_head ? mistake_.kv_head(at.head) : at.head / problem_.group();
    q_row_ = q_.row(at.batch, at.head, mistake_.query_row ? mistake_.query_row(at) : at.query);
    entries_.clear();
    for_each_key(mask_.row(at.batch, at.query), [&](std::int64_t j) { entries_.push_back({.key = j}); });
    if (mistake_.entries) mistake_.entries(at, entries_);
    DropoutRow dropout(problem_, inputs_.dropout_seed, at.batch, at.head, at.query);
    scores_.clear(), factors_.clear();
    for (const Entry& e : entries_) {
      scores_.push_back(score(at, e));
      factors_.push_back(dropout.factor<double>(e.key));
    }
    forward(at);
    if (problem_.has_backward()) backward(at);
  }

  Score<double> score(const RowAt& at, const Entry& e) const {
    Score<double> s;
    if (!std::isnan(e.score)) {
      s.value = e.score;
      s.steepness = 0;
      return s;
    }
    double product = dot(q_row_, k_.row(at.batch, kv_head_, e.key), problem_.dim_qk);
    if (mistake_.product) product = mistake_.product(product);
    s.value = scale() * product;
    if (problem_.terms.softcap > 0 && !mistake_.softcap_missing) {
      s.tanh = std::tanh(s.value / problem_.terms.softcap);
      s.value = problem_.terms.softcap * s.tanh;
      s.steepness = 1 - s.tanh * s.tanh;
    }
    if (problem_.terms.alibi && !mistake_.alibi_missing) {
      s.value += slope(at.head) * static_cast<double>(e.key - mask_.key_position(at.query));
    }
    return s;
  }

  double scale() const { return mistake_.scale.value_or(problem_.scale()); }
  double slope(std::int64_t head) const {
    if (!inputs_.alibi_slope.empty()) return inputs_.alibi_slope[static_cast<std::size_t>(head)];
    return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(problem_.heads_q));
  }
  std::optional<double> sink(std::int64_t head) const {
    if (inputs_.sink_logit.empty() || mistake_.sink_missing) return std::nullopt;
    return inputs_.sink_logit[static_cast<std::size_t>(head)];
  }

  RowState state_of(std::size_t begin, std::size_t end, double least_m, const RowAt& at) const {
    RowState s{.m = least_m, .O = std::vector<double>(static_cast<std::size_t>(problem_.dim_v))};
    for (std::size_t n = begin; n < end; ++n)
      s.m = std::isnan(scores_[n].value) ? scores_[n].value : std::max(s.m, scores_[n].value);
    for (std::size_t n = begin; n < end; ++n) {
      const double p = entries_[n].times * std::exp(scores_[n].value - s.m);
      s.l += p;
      add((mistake_.weight ? mistake_.weight(p) : p) * factors_[n], inputs_.v.row(at.batch, kv_head_, entries_[n].key),
          s.O);
    }
    return s;
  }

  static void add(double factor, const double* from, std::vector<double>& into) {
    for (std::size_t d = 0; d < into.size(); ++d) into[d] += factor * from[d];
  }

  // Calls visit(begin, end) for each part, in order.
  template <class Visit>
  void for_each_part(Visit&& visit) const {
    for (std::size_t begin = 0; begin < entries_.size();) {
      std::size_t end = begin;
      while (end < entries_.size() && entries_[end].part == entries_[begin].part) ++end;
      visit(begin, end);
      begin = end;
    }
  }

  void forward(const RowAt& at) {
    const auto dim = static_cast<std::size_t>(problem_.dim_v);
    const std::optional<double> sink_logit = sink(at.head);
    RowState whole = joined(at);
    if (sink_logit) {
      const double m = std::max(whole.m, *sink_logit), old = std::exp(whole.m - m);
      whole.l = whole.l * old + std::exp(*sink_logit - m);
      for (double& x : whole.O) x *= old;
      whole.m = m;
    }
    lse_ = whole.lse();
    o_.assign(dim, 0);
    const bool parts_alone = mistake_.joining == Joining::average || mistake_.joining == Joining::sum;
    if (parts_alone) {
      double parts = 0;
      for_each_part([&](std::size_t begin, std::size_t end) {
        const RowState part = state_of(begin, end, -infinity, at);
        for (std::size_t d = 0; d < dim; ++d) o_[d] += part.O[d] / part.l;
        ++parts;
      });
      if (mistake_.joining == Joining::average && parts > 0)
        std::for_each(o_.begin(), o_.end(), [&](double& x) { x /= parts; });
    } else if (whole.l > 0 || std::isnan(whole.l)) {
      for (std::size_t d = 0; d < dim; ++d) o_[d] = whole.O[d] / whole.l;
    }
    std::copy(o_.begin(), o_.end(), out_.o.row(at.batch, at.head, at.query));
    *out_.lse.row(at.batch, at.head, at.query) = lse_;
  }

  RowState joined(const RowAt& at) const {
    const bool added = mistake_.joining == Joining::added, rescaled = !added && mistake_.joining != Joining::no_rescale;
    if (rescaled && !mistake_.after_part) return state_of(0, entries_.size(), -infinity, at);
    RowState whole{.O = std::vector<double>(static_cast<std::size_t>(problem_.dim_v))};
    for_each_part([&](std::size_t begin, std::size_t end) {
      const RowState part = state_of(begin, end, added ? -infinity : whole.m, at);
      const double old = !rescaled ? 1 : whole.l > 0 ? std::exp(whole.m - part.m) : 0;
      whole.l = whole.l * old + part.l;
      for (std::size_t d = 0; d < whole.O.size(); ++d) whole.O[d] = whole.O[d] * old + part.O[d];
      whole.m = added ? std::max(whole.m, part.m) : part.m;
      if (mistake_.after_part) mistake_.after_part(whole.O, whole.l);
    });
    return whole;
  }

  void backward(const RowAt& at) {
    const double* d_o = inputs_.d_o.row(at.batch, at.head, at.query);
    double* dq = out_.dq.row(at.batch, at.head, at.query);
    const double whole_delta = dot(d_o, static_cast<const double*>(o_.data()), problem_.dim_v);
    for_each_part([&](std::size_t begin, std::size_t end) {
      double delta = mistake_.delta == DeltaFrom::nothing ? 0 : whole_delta, lse = lse_;
      if (mistake_.delta == DeltaFrom::own_part || mistake_.weights == WeightsFrom::own_part) {
        const RowState part = state_of(begin, end, -infinity, at);
        if (mistake_.delta == DeltaFrom::own_part) delta = dot(d_o, part.O.data(), problem_.dim_v) / part.l;
        if (mistake_.weights == WeightsFrom::own_part) lse = part.lse();
      }
      for (std::size_t n = begin; n < end; ++n) {
        const Entry& e = entries_[n];
        if (!e.walked) continue;
        const double p = std::exp(scores_[n].value - lse);
        const double dp = factors_[n] * dot(d_o, inputs_.v.row(at.batch, kv_head_, e.key), problem_.dim_v);
        const double ds = p * (dp - delta) * scores_[n].steepness * scale();
        const double* k = k_.row(at.batch, kv_head_, e.key);
        for (std::int64_t d = 0; d < problem_.dim_qk; ++d) dq[d] += ds * k[d];
        if (!e.booked) continue;
        double* dk = out_.dk.row(at.batch, kv_head_, e.key);
        double* dv = out_.dv.row(at.batch, kv_head_, e.key);
        for (std::int64_t d = 0; d < problem_.dim_qk; ++d) dk[d] += ds * q_row_[d];
        for (std::int64_t d = 0; d < problem_.dim_v; ++d) dv[d] += p * factors_[n] * d_o[d];
      }
    });
    if (q_turn_) q_turn_->turn_back(at.query, dq);
  }

  void turn_back(Tensor& dk) const {
    for (std::int64_t b = 0; b < dk.shape.batch; ++b) {
      for (std::int64_t h = 0; h < dk.shape.heads; ++h) {
        for (std::int64_t r = 0; r < dk.shape.rows; ++r) k_turn_->turn_back(r, dk.row(b, h, r));
      }
    }
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const Mistake& mistake_;
  MaskRows mask_;
  Array<double> q_, k_;  // turned
  std::optional<Rotation<double>> q_turn_, k_turn_;
  Outputs out_;

  // Of the row at hand.
  std::int64_t kv_head_ = 0;
  const double* q_row_ = nullptr;  // [Dqk]
  std::vector<Entry> entries_;
  std::vector<Score<double>> scores_;  // [entries]
  std::vector<double> factors_;        // [entries] dropout
  std::vector<double> o_;              // [Dv]
  double lse_ = 0;
};

}  // namespace

Outputs what_if(const Problem& problem, const Inputs& inputs, const Mistake& mistake) {
  return Recomputation(problem, inputs, mistake).run();
}

}  // namespace ringscope
