#include "core/foreign/foreign_judge.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>

#include "core/foreign/tiled_attention.h"
#include "core/foreign/units.h"

namespace ringscope {

namespace {

// A quarter of the data README's unit roundoff, whose bf16 is 2^-9: half of core/element_type.h's.
double quarter_unit(ElementType type) {
  return unit_roundoff(type) / (type == ElementType::bf16 ? 8 : 4);
}

// Of one tensor, or a part of it: over the elements that are finite in both.
struct Sums {
  double error2 = 0, right2 = 0, yardstick2 = 0, cancels2 = 0;
  double most_error = 0, most_right = 0, most_yardstick = 0, most_cancels = 0;
  std::int64_t nonfinite = 0;

  void add(const Sums& more) {
    error2 += more.error2, right2 += more.right2, yardstick2 += more.yardstick2, cancels2 += more.cancels2;
    most_error = std::max(most_error, more.most_error), most_right = std::max(most_right, more.most_right);
    most_yardstick = std::max(most_yardstick, more.most_yardstick);
    most_cancels = std::max(most_cancels, more.most_cancels);
    nonfinite += more.nonfinite;
  }
};

template <class Real>
struct Compared {
  std::span<const double> given, right;
  std::span<const Real> yardstick, cancels;  // cancels: may be empty
};

void note(double value, double& sum_of_squares, double& most) {
  if (!std::isfinite(value)) return;
  sum_of_squares += value * value;
  most = std::max(most, std::abs(value));
}

// Rows of `dim` elements; leaves each row's largest error.
template <class Real>
Sums compare_rows(const Compared<Real>& x, std::int64_t dim, std::span<double> row_errors) {
  Sums sums;
  for (std::size_t n = 0; n < x.given.size(); ++n) {
    double& row_error = row_errors[n / static_cast<std::size_t>(dim)];
    const double given = x.given[n], right = x.right[n];
    if (!x.cancels.empty()) note(static_cast<double>(x.cancels[n]), sums.cancels2, sums.most_cancels);
    if (std::isfinite(given) && std::isfinite(right)) {
      note(given - right, sums.error2, sums.most_error);
      note(right, sums.right2, sums.most_right);
      row_error = std::max(row_error, std::abs(given - right));
    } else if (given != right && !(std::isnan(given) && std::isnan(right))) {
      ++sums.nonfinite;
      row_error = std::numeric_limits<double>::infinity();
    }
    if (std::isfinite(right)) note(static_cast<double>(x.yardstick[n]) - right, sums.yardstick2, sums.most_yardstick);
  }
  return sums;
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

TileRounding yardstick_rounding(const Foreign& foreign) {
  const ElementType type = output_type(foreign.problem.type);
  return {.weights = type, .o = stored_as(foreign.problem, foreign.of(Output::o))};
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
      judged_.outputs[at].figures.present = true;
      judged_.outputs[at].row_errors.assign(static_cast<std::size_t>(shape.batch * shape.heads * shape.rows), 0.0);
    }
  }

  Judged run() {
    const std::int64_t units = problem_.batch * problem_.heads_kv;
    sums_.resize(static_cast<std::size_t>(units));
    largest_scores_.resize(static_cast<std::size_t>(units));
    const double all = 2.0 * static_cast<double>(all_pairs());
    for_each_unit(
        units, options_.threads, [this](std::int64_t unit) { judge_group(unit); },
        [&] {
          if (options_.progress && all > 0) options_.progress(static_cast<double>(pairs_done_) / all);
        });
    judged_.largest_score = *std::max_element(largest_scores_.begin(), largest_scores_.end());
    judged_.constant_v = !various_v_, judged_.constant_d_o = problem_.has_backward() && !various_d_o_;
    judged_.zero_scores = !some_scores_;
    for (int n = 0; n < output_kinds; ++n) {
      if (judged_.outputs[static_cast<std::size_t>(n)].figures.present) conclude(static_cast<Output>(n));
    }
    return std::move(judged_);
  }

 private:
  using UnitSums = std::array<Sums, output_kinds>;

  std::int64_t all_pairs() const {
    std::int64_t pairs = 0;
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t i = 0; i < problem_.len_q; ++i) pairs += mask_.row(b, i).size();
    }
    return pairs * problem_.heads_q;
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
      const auto k = read(foreign_.k, problem_.shape_k(), b, h_kv), v = read(foreign_.v, problem_.shape_v(), b, h_kv);
      right.take_keys(b, k, v), yardstick.take_keys(b, k, v);
      if (!all_rows_alike(v, problem_.dim_v)) various_v_ = true;
      zero_k = all_zero(k);
    }
    UnitSums& sums = sums_[static_cast<std::size_t>(unit)];
    for (std::int64_t h = h_kv * problem_.group(); h < (h_kv + 1) * problem_.group(); ++h) {
      const auto q = read(foreign_.q, problem_.shape_q(), b, h);
      const auto d_o = backward ? read(foreign_.d_o, problem_.shape_o(), b, h) : std::vector<double>{};
      if (!zero_k && !all_zero(q)) some_scores_ = true;
      if (!all_rows_alike(d_o, problem_.dim_v)) various_d_o_ = true;
      right.attend(h, q, d_o, count), yardstick.attend(h, q, d_o, count);
      set_empty_rows(b, right), set_empty_rows(b, yardstick);
      judge(Output::o, b, h, right.o(), yardstick.o(), {}, sums);
      judge(Output::lse, b, h, right.lse(), yardstick.lse(), {}, sums);
      if (backward) judge(Output::dq, b, h, right.dq(), yardstick.dq(), yardstick.dq_cancels(), sums);
    }
    right.finish_keys(), yardstick.finish_keys();
    if (backward) {
      judge(Output::dk, b, h_kv, right.dk(), yardstick.dk(), yardstick.dk_cancels(), sums);
      judge(Output::dv, b, h_kv, right.dv(), yardstick.dv(), {}, sums);
    }
    largest_scores_[static_cast<std::size_t>(unit)] = static_cast<double>(yardstick.largest_score());
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

  void judge(Output output, std::int64_t b, std::int64_t h, std::span<const double> right, std::span<Real> yardstick,
             std::span<const Real> cancels, UnitSums& sums) {
    const ForeignOutput& given = foreign_.of(output);
    if (!given.read) return;
    const Shape shape = shape_of(problem_, output);
    round_all(output == Output::lse ? given.type : stored_as(problem_, given), yardstick);
    std::span<double> errors(judged_.outputs[static_cast<std::size_t>(output)].row_errors);
    errors = errors.subspan(static_cast<std::size_t>((b * shape.heads + h) * shape.rows),
                            static_cast<std::size_t>(shape.rows));
    const std::vector<double> rows = read(given.read, shape, b, h);
    const Compared<Real> compared{rows, right, yardstick, cancels};
    sums[static_cast<std::size_t>(output)].add(compare_rows(compared, shape.dim, errors));
  }

  // The least that a right kernel's relative error (lse: absolute error) is taken for.
  double floor_of(Output output) const {
    const double sum_unit = unit_roundoff(problem_.type == ElementType::f64 ? ElementType::f64 : ElementType::f32);
    const ForeignOutput& given = foreign_.of(output);
    return std::max(quarter_unit(stored_as(problem_, given)), sum_unit * judged_.largest_score);
  }

  void conclude(Output output) {
    JudgedOutput& out = judged_.outputs[static_cast<std::size_t>(output)];
    Sums s;
    for (const UnitSums& unit : sums_) s.add(unit[static_cast<std::size_t>(output)]);
    const double sum_unit = unit_roundoff(problem_.type == ElementType::f64 ? ElementType::f64 : ElementType::f32);
    const double floor = floor_of(output);
    const bool absolute = output == Output::lse;
    const double finite = static_cast<double>(shape_of(problem_, output).size());
    const double norm_floor = floor * (absolute ? std::sqrt(finite) : std::sqrt(s.right2));
    const double peak_floor = floor * (absolute ? 4 : s.most_right);
    const double divisor = std::max({std::sqrt(s.yardstick2), norm_floor, sum_unit * std::sqrt(s.cancels2)});
    out.divisor = std::max({s.most_yardstick, peak_floor, sum_unit * s.most_cancels});
    const auto over = [](double error, double by) {
      return error == 0 ? 0 : by > 0 ? error / by : std::numeric_limits<double>::infinity();
    };
    Figures& f = out.figures;
    f.max_abs = s.most_error;
    f.rel_fro = s.right2 > 0 ? std::sqrt(s.error2 / s.right2) : std::numeric_limits<double>::quiet_NaN();
    f.ratio = over(std::sqrt(s.error2), divisor);
    f.peak_ratio = over(s.most_error, out.divisor);
    f.nonfinite = s.nonfinite;
    const bool wrong = f.ratio > most_ratio || f.peak_ratio > most_peak_ratio || f.nonfinite > 0;
    f.verdict = wrong ? Verdict::failed : Verdict::passed;
    if (wrong) out.wrong = find_wrong_rows(out, shape_of(problem_, output));
  }

  static WrongRows find_wrong_rows(const JudgedOutput& out, Shape shape) {
    const std::vector<double>& errors = out.row_errors;
    const double tolerance = out.row_tolerance();
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
  std::atomic<std::int64_t> pairs_done_ = 0;
  std::vector<UnitSums> sums_;          // [B * Hkv], so that the order of threads changes no bit
  std::vector<double> largest_scores_;  // [B * Hkv]
  std::atomic<bool> various_v_ = false, various_d_o_ = false, some_scores_ = false;
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

Verdict Judged::verdict() const {
  return first_wrong() ? Verdict::failed : Verdict::passed;
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
