#include "core/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringscope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t rows_of(const Tensor& x) {
  return x.shape.batch * x.shape.heads * x.shape.rows;
}

// Where the reference is not finite, only the same value will do; NaN never does.
bool finiteness_differs(double got, double want) {
  if (std::isfinite(want)) return !std::isfinite(got);
  return got != want;
}

double ratio_of(double error, double allowed) {
  if (error == 0) return 0;
  return std::min(error / allowed, std::numeric_limits<double>::max());
}

// A sum of squares and how many there were.
struct Squares {
  double sum = 0;
  std::int64_t count = 0;
  void add(double x) { sum += x * x, ++count; }
  void add(const Squares& s) { sum += s.sum, count += s.count; }
  double root_mean() const { return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count)); }
};

// row_ratio(first element, last element + 1) for each row that is finite where it should be.
template <class RowRatio>
std::vector<double> ratios_by_row(const Tensor& got, const Tensor& want, RowRatio&& row_ratio) {
  std::vector<double> ratios;
  for (std::int64_t r = 0; r < rows_of(want); ++r) {
    const auto begin = static_cast<std::size_t>(r * want.shape.dim);
    const auto end = begin + static_cast<std::size_t>(want.shape.dim);
    bool finite = true;
    for (std::size_t n = begin; n < end; ++n) finite = finite && !finiteness_differs(got.values[n], want.values[n]);
    ratios.push_back(finite ? row_ratio(begin, end) : infinity);
  }
  return ratios;
}

// allowed(element) -> largest error allowed there.
template <class Allowed>
Judgement judge_elements(const Tensor& got, const Tensor& want, Allowed&& allowed) {
  Judgement out;
  Squares errors, bounds;
  out.rows = ratios_by_row(got, want, [&](std::size_t begin, std::size_t end) {
    double worst = 0;
    for (std::size_t n = begin; n < end; ++n) {
      if (!std::isfinite(want.values[n])) continue;
      const double error = std::abs(got.values[n] - want.values[n]), bound = allowed(n);
      errors.add(error);
      bounds.add(bound);
      worst = std::max(worst, ratio_of(error, bound));
    }
    return worst;
  });
  out.overall = ratio_of(errors.root_mean(), bounds.root_mean());
  return out;
}

}  // namespace

double Judgement::worst_finite() const {
  double worst = 0;
  for (const double ratio : rows) worst = std::max(worst, std::isfinite(ratio) ? ratio : 0);
  return worst;
}

std::int64_t Judgement::wrong_rows() const {
  return std::count_if(rows.begin(), rows.end(), [](double ratio) { return ratio > 1; });
}

Judgement judge_exact(const Tensor& got, const Tensor& want, ElementType type, double ulps) {
  Judgement out = judge_elements(got, want, [&](std::size_t n) {
    return (ulps > 0 ? ulps : 0.5) * std::max(ulp(type, want.values[n]), std::numeric_limits<double>::min());
  });
  if (ulps > 0) return out;
  const auto differs = ratios_by_row(got, want, [&](std::size_t begin, std::size_t end) {
    const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
    return std::equal(got.values.begin() + first, got.values.begin() + last, want.values.begin() + first) ? 0.0 : 2.0;
  });
  for (std::size_t r = 0; r < differs.size(); ++r) out.rows[r] = std::max(out.rows[r], differs[r]);
  return out;
}

Judgement judge_bounds(const Tensor& got, const Tensor& want, const Tensor& magnitude) {
  // Below the least normal number roundings are absolute, of 2^-1074: C says nothing about them.
  constexpr double underflow = std::numeric_limits<double>::min();
  return judge_elements(got, want, [&](std::size_t n) { return f64_bound * magnitude.values[n] + underflow; });
}

Allowance allowance_from(const Tensor& baseline, const Tensor& want, const Tensor& magnitude, ElementType stored,
                         ElementType compute) {
  const double u = unit_roundoff(compute);
  std::vector<Squares> errors, conditions;
  std::vector<double> steps;
  Squares all_errors, all_conditions, all_steps;
  for (std::int64_t r = 0; r < rows_of(want); ++r) {
    Squares error, condition;
    double largest = 0;
    for (std::int64_t d = 0; d < want.shape.dim; ++d) {
      const auto n = static_cast<std::size_t>(r * want.shape.dim + d);
      if (!std::isfinite(want.values[n])) continue;
      error.add(baseline.values[n] - want.values[n]);
      condition.add(magnitude.values[n]);
      largest = std::max(largest, std::abs(want.values[n]));
    }
    errors.push_back(error), conditions.push_back(condition);
    steps.push_back(ulp(stored, largest));
    all_errors.add(error), all_conditions.add(condition), all_steps.add(steps.back());
  }
  // Rows that count: one row's luck weighs less in a large tensor, but not where a single row has all the size.
  double fourths = 0;
  for (const double step : steps) fourths += std::pow(step / all_steps.root_mean(), 4);
  const double rows = static_cast<double>(steps.size());
  const double rows_that_count = fourths > 0 ? rows * rows / fourths : 1;
  // How much of its condition number the baseline typically loses, never less than one rounding.
  const double loss = std::max(u, ratio_of(all_errors.root_mean(), all_conditions.root_mean()));
  Allowance out;
  out.overall = baseline_factor * loss * all_conditions.root_mean() +
                baseline_ulps * all_steps.root_mean() / std::sqrt(rows_that_count);
  for (std::size_t r = 0; r < steps.size(); ++r) {
    const double error = std::max(errors[r].root_mean(), row_luck * loss * conditions[r].root_mean());
    out.rows.push_back(baseline_factor * error + baseline_ulps * steps[r]);
  }
  return out;
}

Judgement judge_baseline(const Tensor& got, const Tensor& want, const Allowance& allowance) {
  Judgement out;
  Squares all;
  out.rows = ratios_by_row(got, want, [&](std::size_t begin, std::size_t end) {
    Squares errors;
    for (std::size_t n = begin; n < end; ++n) {
      if (std::isfinite(want.values[n])) errors.add(got.values[n] - want.values[n]);
    }
    all.add(errors);
    return ratio_of(errors.root_mean(), allowance.rows[begin / static_cast<std::size_t>(want.shape.dim)]);
  });
  out.overall = ratio_of(all.root_mean(), allowance.overall);
  return out;
}

Figures measure(const Tensor& got, const Tensor& want) {
  Figures figures{.present = true};
  Squares errors, values;
  for (std::size_t n = 0; n < want.values.size(); ++n) {
    if (finiteness_differs(got.values[n], want.values[n])) ++figures.nonfinite;
    if (!std::isfinite(got.values[n]) || !std::isfinite(want.values[n])) continue;
    const double error = got.values[n] - want.values[n];
    figures.max_abs = std::max(figures.max_abs, std::abs(error));
    errors.add(error);
    values.add(want.values[n]);
  }
  const double norm = values.root_mean();
  figures.rel_fro = norm > 0 ? errors.root_mean() / norm : errors.root_mean();
  return figures;
}

double root_mean_square(const Tensor& x) {
  Squares squares;
  for (const double value : x.values) {
    if (std::isfinite(value)) squares.add(value);
  }
  return squares.root_mean();
}

}  // namespace ringscope
