#include "core/foreign/foreign_judge.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>

#include "core/foreign/error_sums.h"
#include "core/foreign/mistrust.h"
#include "core/foreign/tiled_attention.h"
#include "core/foreign/units.h"

namespace ringscope {

namespace {

// A quarter of the data README's unit roundoff, whose bf16 is 2^-9: half of core/element_type.h's.
double quarter_unit(ElementType type) {
  return unit_roundoff(type) / (type == ElementType::bf16 ? 8 : 4);
}

bool all_rows_alike(std::span<const double> rows, std::int64_t dim) {
  const auto row = static_cast<std::size_t>(dim);
  for (std::size_t n = row; n < rows.size(); ++n) {
    if (rows[n] != rows[n - row]) return false;
  }
  return true;
}

bool all_zero(std::span<const double> rows) {
  return std::all_of(rows.begin(), rows.end(), [](double x) { return x == 0; });
}

// The yardstick: the file's types, or the coarser one where an output is stored coarser.
ElementType stored_as(const Problem& problem, const ForeignOutput& output) {
  const ElementType usual = output_type(problem.type);
  return unit_roundoff(output.type) > unit_roundoff(usual) ? output.type : usual;
}

// The least subnormal number of the small types; elsewhere the least normal one, since many kernels flush the others.
double least_of(ElementType type) {
  if (type == ElementType::f16) return 0x1p-24;
  if (type == ElementType::e4m3) return 0x1p-9;
  return type == ElementType::f64 ? std::numeric_limits<double>::min() : 0x1p-126;
}

// Where the type of the file becomes infinite: half an ulp above its largest number.
double overflow_limit(ElementType type) {
  const double u = unit_roundoff(type);
  return largest_finite(type) / (2 - 2 * u) * (2 - u);
}

TileRounding yardstick_rounding(const Foreign& foreign) {
  return {.weights = foreign.problem.type,
          .gradients = output_type(foreign.problem.type),
          .o = stored_as(foreign.problem, foreign.of(Output::o))};
}

// Judges all heads with one type of yardstick: float, or double for f64.
template <class Real>
class HeadsJudge {
 public:
  HeadsJudge(const Foreign& foreign, const JudgeOptions& options)
      : foreign_(foreign), problem_(foreign.problem), mask_(problem_.mask_rows()), options_(options) {
    for (int n = 0; n < output_kinds; ++n) {
      const Shape shape = shape_of(problem_, static_cast<Output>(n));
      const auto at = static_cast<std::size_t>(n);
      if (!foreign.outputs[at].read) continue;
      judged_.outputs[at].figures.present = true, judged_.outputs[at].type = foreign_.outputs[at].type;
      const auto rows = static_cast<std::size_t>(shape.batch * shape.heads * shape.rows);
      judged_.outputs[at].row_errors.assign(rows, 0.0), judged_.outputs[at].row_reach.assign(rows, 0.0);
      sums_[at].resize(static_cast<std::size_t>(shape.batch * shape.heads));
    }
  }

  Judged run() {
    const std::int64_t units = problem_.batch * problem_.heads_kv;
    largest_scores_.resize(static_cast<std::size_t>(problem_.batch * problem_.heads_q));
    pairs_ = all_pairs();
    const double all = 2.0 * static_cast<double>(pairs_);
    for_each_unit(
        units, options_.threads, [this](std::int64_t unit) { judge_group(unit); },
        [&] {
          if (options_.progress && all > 0) options_.progress(static_cast<double>(pairs_done_) / all);
        });
    judged_.largest_score = *std::max_element(largest_scores_.begin(), largest_scores_.end());
    judged_.constant_v = !various_v_ && problem_.len_kv > 1;
    judged_.o_is_v = judged_.constant_v && foreign_.terms.sink_logit.empty() && problem_.terms.dropout == 0;
    judged_.constant_d_o = problem_.has_backward() && !various_d_o_;
    judged_.zero_scores = !some_scores_, judged_.zero_v = !some_v_, judged_.no_pairs = all == 0;
    for (int n = 0; n < output_kinds; ++n) {
      if (judged_.outputs[static_cast<std::size_t>(n)].figures.present) conclude(static_cast<Output>(n));
    }
    if (!judged_.first_wrong()) judged_.mistrust = mistrust_of(judged_);
    return std::move(judged_);
  }

 private:
  std::int64_t all_pairs() const {
    std::int64_t pairs = 0;
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t i = 0; i < problem_.len_q; ++i) pairs += mask_.row(b, i).size();
    }
    return pairs * problem_.heads_q;
  }

  std::vector<double> read_input(Input input, const ReadHead& tensor, Shape shape, std::int64_t b, std::int64_t h) {
    std::vector<double> rows = read(tensor, shape, b, h);
    const auto is_none = [](double x) { return !std::isfinite(x); };
    const auto first = std::find_if(rows.begin(), rows.end(), is_none);
    if (first == rows.end()) return rows;
    const std::int64_t at = first - rows.begin();
    const std::scoped_lock lock(not_numbers_);
    NotNumbers& found = judged_.not_numbers[static_cast<std::size_t>(input)];
    if (found.count == 0 || std::pair(b, h) < std::pair(found.batch, found.head)) {
      found.batch = b, found.head = h, found.row = at / shape.dim, found.element = at % shape.dim;
    }
    found.count += std::count_if(first, rows.end(), is_none);
    return rows;
  }

  static std::vector<double> read(const ReadHead& tensor, Shape shape, std::int64_t b, std::int64_t h) {
    std::vector<double> rows(static_cast<std::size_t>(shape.rows * shape.dim));
    tensor(b, h, rows);
    return rows;
  }

  // One KV head and the query heads that read it.
  void judge_group(std::int64_t unit) {
    const std::int64_t b = unit / problem_.heads_kv, h_kv = unit % problem_.heads_kv;
    const CountPairs count = [this](std::int64_t pairs) { pairs_done_ += pairs; };
    const bool backward = problem_.has_backward();
    TiledAttention<double> right(problem_, foreign_.terms, {}, Floors::ignore);
    TiledAttention<Real> yardstick(problem_, foreign_.terms, yardstick_rounding(foreign_), Floors::measure);
    bool zero_k = false;
    {
      const auto k = read_input(Input::k, foreign_.k, problem_.shape_k(), b, h_kv);
      const auto v = read_input(Input::v, foreign_.v, problem_.shape_v(), b, h_kv);
      right.take_keys(b, k, v), yardstick.take_keys(b, k, v);
      if (!all_rows_alike(v, problem_.dim_v)) various_v_ = true;
      if (!all_zero(v)) some_v_ = true;
      zero_k = all_zero(k);
    }
    for (std::int64_t h = h_kv * problem_.group(); h < (h_kv + 1) * problem_.group(); ++h) {
      const auto q = read_input(Input::q, foreign_.q, problem_.shape_q(), b, h);
      const auto d_o =
          backward ? read_input(Input::d_o, foreign_.d_o, problem_.shape_o(), b, h) : std::vector<double>{};
      if (!zero_k && !all_zero(q)) some_scores_ = true;
      if (!all_rows_alike(d_o, problem_.dim_v)) various_d_o_ = true;
      right.attend(h, q, d_o, count), yardstick.attend(h, q, d_o, count);
      set_empty_rows(b, right), set_empty_rows(b, yardstick);
      largest_scores_[static_cast<std::size_t>(b * problem_.heads_q + h)] =
          static_cast<double>(yardstick.largest_score());
      const auto& reach = yardstick.reach();
      judge(Output::o, b, h, right.o(), {yardstick.o(), reach.o()});
      judge(Output::lse, b, h, right.lse(), {yardstick.lse(), reach.lse()});
      if (backward) judge(Output::dq, b, h, right.dq(), {yardstick.dq(), reach.dq(), yardstick.dq_cancels()});
    }
    right.finish_keys(), yardstick.finish_keys();
    if (backward) {
      const std::vector<Real> dk_rounded = yardstick.dk_rounded(), dv_rounded = yardstick.dv_rounded();
      const auto& reach = yardstick.reach();
      judge(Output::dk, b, h_kv, right.dk(), {yardstick.dk(), reach.dk(), yardstick.dk_cancels(), dk_rounded});
      judge(Output::dv, b, h_kv, right.dv(), {yardstick.dv(), reach.dv(), {}, dv_rounded});
    }
  }

  template <class Any>
  void set_empty_rows(std::int64_t b, TiledAttention<Any>& attention) const {
    if (!foreign_.terms.sink_logit.empty()) return;
    for (std::int64_t i = 0; i < problem_.len_q; ++i) {
      if (mask_.row(b, i).size() > 0) continue;
      attention.lse()[static_cast<std::size_t>(i)] = static_cast<Any>(foreign_.empty_lse);
      const auto o =
          attention.o().subspan(static_cast<std::size_t>(i * problem_.dim_v), static_cast<std::size_t>(problem_.dim_v));
      std::fill(o.begin(), o.end(), static_cast<Any>(foreign_.empty_o));
    }
  }

  // What a right kernel may err in one head.
  struct Allowed {
    std::span<Real> yardstick;
    std::span<const Real> reach, cancels = {}, added = {};
  };

  void judge(Output output, std::int64_t b, std::int64_t h, std::span<const double> right, const Allowed& allowed) {
    const ForeignOutput& given = foreign_.of(output);
    if (!given.read) return;
    const Shape shape = shape_of(problem_, output);
    const ElementType stored = output == Output::lse ? given.type : stored_as(problem_, given);
    round_all(stored, allowed.yardstick);
    JudgedOutput& out = judged_.outputs[static_cast<std::size_t>(output)];
    const auto head = static_cast<std::size_t>(b * shape.heads + h), rows = static_cast<std::size_t>(shape.rows);
    const std::vector<double> given_rows = read(given.read, shape, b, h);
    // Wider sums add up as the yardstick's.
    const bool adds_coarsely = unit_roundoff(stored) > unit_roundoff(ElementType::f32);
    sums_[static_cast<std::size_t>(output)][head] = compare_rows(
        Compared<Real>{.given = given_rows,
                       .right = right,
                       .yardstick = allowed.yardstick,
                       .cancels = allowed.cancels,
                       .reach = allowed.reach,
                       .stored_unit = unit_roundoff(stored),
                       .stored_least = least_of(stored),
                       .overflow = overflow_limit(given.type),
                       .added = adds_coarsely ? allowed.added : std::span<const Real>{},
                       .group = problem_.group()},
        shape.dim,
        {std::span(out.row_errors).subspan(head * rows, rows), std::span(out.row_reach).subspan(head * rows, rows)});
  }

  struct Divisors {
    double norm = 0, peak = 0;
  };

  enum class GroupSum : std::uint8_t { in_fp32, in_storage };

  // Of `heads` heads whose largest score is `largest_score`: what the data README divides by.
  Divisors divisors(Output output, const ErrorSums& s, std::int64_t heads, double largest_score, GroupSum sum) const {
    const Shape shape = shape_of(problem_, output);
    const double sum_unit = unit_roundoff(problem_.type == ElementType::f64 ? ElementType::f64 : ElementType::f32);
    // The least that a right kernel's relative error (lse: absolute error) is taken for.
    const double floor = std::max(quarter_unit(stored_as(problem_, foreign_.of(output))), sum_unit * largest_score);
    const bool absolute = output == Output::lse;
    const double elements = static_cast<double>(heads * shape.rows * shape.dim);
    const double norm_floor = floor * (absolute ? std::sqrt(elements) : std::sqrt(s.right2));
    const double peak_floor = floor * (absolute ? 4 : s.most_right);
    double yardstick2 = s.yardstick2, most_yardstick = s.most_yardstick;
    if (sum == GroupSum::in_storage) {
      yardstick2 += ErrorSums::mean_square * s.added2;
      most_yardstick = std::hypot(most_yardstick, s.most_added);
    }
    Divisors by{std::max({std::sqrt(yardstick2), norm_floor, sum_unit * std::sqrt(s.cancels2)}),
                std::max({most_yardstick, peak_floor, sum_unit * s.most_cancels})};
    if (problem_.type == ElementType::f64) {  // the yardstick is the oracle itself: it errs by nothing
      by.norm = std::max(by.norm, std::sqrt(s.explained2) / most_ratio);
      by.peak = std::max(by.peak, s.most_explained / most_peak_ratio);
    }
    return by;
  }

  static double over(double error, double by) {
    return error == 0 ? 0 : by > 0 ? error / by : std::numeric_limits<double>::infinity();
  }

  // P in e4m3 is coarser than any output, and all elements of a row share its roundings.
  bool errs_by_weights(Output output) const { return output == Output::o && problem_.type == ElementType::e4m3; }
  // How many roundings tell a yardstick's luck.
  std::int64_t roundings_of(Output output, const ErrorSums& s) const {
    return errs_by_weights(output) ? std::min(s.judged, pairs_) : s.judged;
  }

  struct Ratios {
    double norm = 0, peak = 0;
    bool beyond() const { return norm > most_ratio || peak > most_peak_ratio; }
  };
  static Ratios ratios(const ErrorSums& s, const Divisors& by) {
    return {over(std::sqrt(s.error2), by.norm), over(s.most_error, by.peak)};
  }

  void conclude(Output output) {
    JudgedOutput& out = judged_.outputs[static_cast<std::size_t>(output)];
    const std::vector<ErrorSums>& by_head = sums_[static_cast<std::size_t>(output)];
    ErrorSums s;
    for (const ErrorSums& head : by_head) s.add(head);
    const auto heads = static_cast<std::int64_t>(by_head.size());
    Divisors by = divisors(output, s, heads, judged_.largest_score, GroupSum::in_fp32);
    Ratios ratio = ratios(s, by);
    if (ratio.beyond() && s.added2 > 0) {
      const Divisors in_storage = divisors(output, s, heads, judged_.largest_score, GroupSum::in_storage);
      out.added_in_storage = !ratios(s, in_storage).beyond();
      if (out.added_in_storage) by = in_storage, ratio = ratios(s, by);
    }
    out.divisor = by.peak;
    out.size = shape_of(problem_, output).size(), out.judged = s.judged;
    out.overflows = s.overflows, out.most_overflow = s.most_overflow;
    out.zeros_would_pass = std::sqrt(s.right2) <= most_ratio * by.norm && s.most_right <= most_peak_ratio * by.peak &&
                           s.most_size <= most_reach;
    Figures& f = out.figures;
    f.max_abs = s.most_error;
    f.rel_fro = s.right2 > 0 ? std::sqrt(s.error2 / s.right2) : std::numeric_limits<double>::quiet_NaN();
    f.ratio = ratio.norm, f.peak_ratio = ratio.peak;
    f.nonfinite = s.nonfinite;
    const bool beyond = ratio.beyond();
    const bool lucky = beyond && roundings_of(output, s) < few_elements && s.most_reach <= 1;
    const bool wrong = (beyond && !lucky) || f.nonfinite > 0;
    f.verdict = wrong ? Verdict::failed : Verdict::passed;
    if (wrong) {
      out.wrong = find_wrong_rows(out.row_errors, out.row_tolerance(), shape_of(problem_, output));
    } else if (s.most_reach > most_reach) {
      f.verdict = Verdict::failed;
      out.wrong = find_wrong_rows(out.row_reach, most_reach, shape_of(problem_, output));
      out.hidden = alone(output, out.wrong->batch, out.wrong->head);
    } else if (!lucky) {
      mistrust_heads(output);
    }
  }

  // One head judged as if there were no other.
  Alone alone(Output output, std::int64_t batch, std::int64_t head) const {
    const Shape shape = shape_of(problem_, output);
    const ErrorSums& s = sums_[static_cast<std::size_t>(output)][static_cast<std::size_t>(batch * shape.heads + head)];
    const std::int64_t group = problem_.heads_q / shape.heads;  // 1 but for dk and dv
    const auto first = largest_scores_.begin() + (batch * shape.heads + head) * group;
    const Divisors by = divisors(output, s, 1, *std::max_element(first, first + group), GroupSum::in_storage);
    const Ratios ratio = ratios(s, by);
    return {batch, head, ratio.norm, ratio.peak, s.most_reach};
  }

  void mistrust_heads(Output output) {
    JudgedOutput& out = judged_.outputs[static_cast<std::size_t>(output)];
    const Shape shape = shape_of(problem_, output);
    for (std::int64_t n = 0; n < shape.batch * shape.heads; ++n) {
      const Alone head = alone(output, n / shape.heads, n % shape.heads);
      const bool few_weights = errs_by_weights(output) && pairs_ / (shape.batch * shape.heads) < few_elements;
      if (!head.is_doubtful() || (few_weights && head.reach <= 1)) continue;
      out.figures.verdict = Verdict::mistrusted;
      out.hidden = head;
      const auto rows = out.row_reach.begin() + n * shape.rows;
      const auto worst = std::max_element(rows, rows + shape.rows);
      out.wrong = WrongRows{head.batch, head.head, worst - rows, 0, shape.batch * shape.heads * shape.rows, false};
      return;
    }
  }

  static WrongRows find_wrong_rows(const std::vector<double>& errors, double tolerance, Shape shape) {
    auto first = std::find_if(errors.begin(), errors.end(), [&](double e) { return e > tolerance; });
    WrongRows rows;
    rows.count = std::count_if(errors.begin(), errors.end(), [&](double e) { return e > tolerance; });
    rows.of = static_cast<std::int64_t>(errors.size());
    if (first == errors.end()) first = std::max_element(errors.begin(), errors.end());
    rows.sharp =
        *first > 2 * tolerance && std::all_of(errors.begin(), first, [&](double e) { return e < 0.75 * tolerance; });
    const std::int64_t at = first - errors.begin();
    rows.row = at % shape.rows, rows.head = at / shape.rows % shape.heads, rows.batch = at / shape.rows / shape.heads;
    return rows;
  }

  const Foreign& foreign_;
  const Problem& problem_;
  MaskRows mask_;
  const JudgeOptions& options_;
  std::int64_t pairs_ = 0;
  std::atomic<std::int64_t> pairs_done_ = 0;
  // By output and head, [B * H], so that the order of threads changes no bit.
  std::array<std::vector<ErrorSums>, output_kinds> sums_;
  std::vector<double> largest_scores_;  // [B * Hq]
  std::mutex not_numbers_;
  std::atomic<bool> various_v_ = false, various_d_o_ = false, some_scores_ = false, some_v_ = false;
  Judged judged_;
};

}  // namespace

Shape shape_of(const Problem& problem, Output output) {
  switch (output) {
    case Output::o:
      return problem.shape_o();
    case Output::lse:
      return problem.shape_lse();
    case Output::dq:
      return problem.shape_q();
    case Output::dk:
      return problem.shape_k();
    case Output::dv:
      return problem.shape_v();
  }
  ensure(false, "an output of attention");
  return {};
}

bool Alone::is_doubtful() const {
  const bool by_the_rule = ratio > doubtful * most_ratio || peak_ratio > doubtful * most_peak_ratio;
  return by_the_rule && reach > least_doubtful_reach;
}

Verdict Judged::verdict() const {
  if (first_wrong()) return Verdict::failed;
  return mistrust ? Verdict::mistrusted : Verdict::passed;
}

std::optional<Output> Judged::first_wrong() const {
  for (int n = 0; n < output_kinds; ++n) {
    const JudgedOutput& output = outputs[static_cast<std::size_t>(n)];
    if (output.figures.present && output.figures.verdict == Verdict::failed) return static_cast<Output>(n);
  }
  return std::nullopt;
}

Judged judge_foreign(const Foreign& foreign, const JudgeOptions& options) {
  return foreign.problem.type == ElementType::f64 ? HeadsJudge<double>(foreign, options).run()
                                                  : HeadsJudge<float>(foreign, options).run();
}

}  // namespace ringscope
