// Errors of an output and of the yardstick, summed over some rows; a whole tensor, or one head.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace ringscope {

// Over the elements that are finite in both.
struct ErrorSums {
  static constexpr double mean_square = 1.0 / 3;  // of a rounding, over the square of the largest
  double error2 = 0, right2 = 0, yardstick2 = 0, cancels2 = 0;
  double most_error = 0, most_right = 0, most_yardstick = 0, most_cancels = 0;
  double most_reach = 0;                      // the largest error over what rounding can explain in its own row
  double explained2 = 0, most_explained = 0;  // what rounding can explain
  double most_size = 0;                       // the largest right value over the same
  double added2 = 0, most_added = 0;          // the largest roundings of a group that is added head by head
  std::int64_t nonfinite = 0, judged = 0;     // finite in one alone; right values that are held
  std::int64_t overflows = 0;                 // right values that the file's type does not hold
  double most_overflow = 0;                   // the largest of them

  void add(const ErrorSums& more) {
    error2 += more.error2, right2 += more.right2, yardstick2 += more.yardstick2, cancels2 += more.cancels2;
    most_error = std::max(most_error, more.most_error), most_right = std::max(most_right, more.most_right);
    most_yardstick = std::max(most_yardstick, more.most_yardstick);
    most_cancels = std::max(most_cancels, more.most_cancels);
    most_reach = std::max(most_reach, more.most_reach);
    most_size = std::max(most_size, more.most_size);
    explained2 += more.explained2, most_explained = std::max(most_explained, more.most_explained);
    added2 += more.added2, most_added = std::max(most_added, more.most_added);
    nonfinite += more.nonfinite, judged += more.judged;
    overflows += more.overflows, most_overflow = std::max(most_overflow, more.most_overflow);
  }
};

template <class Real>
struct Compared {
  std::span<const double> given, right;
  std::span<const Real> yardstick, cancels;  // cancels: may be empty
  std::span<const Real> reach;               // how far rounding can carry each element
  double stored_unit = 0;                    // the unit roundoff of the type that holds the given output
  double stored_least = 0;                   // and its least subnormal number: below, roundings are absolute
  double overflow = 0;                       // from here on the file's type holds infinity
  std::span<const Real> added = {};          // what a group's sums are rounded at on the way; may be empty
  std::int64_t group = 1;                    // query heads that are added
};

// What is left of each row.
struct RowErrors {
  std::span<double> largest;  // infinite where finiteness differs
  std::span<double> reach;    // the largest error over what rounding can explain
};

namespace detail {

inline void note(double value, double& sum_of_squares, double& most) {
  if (!std::isfinite(value)) return;
  sum_of_squares += value * value;
  most = std::max(most, std::abs(value));
}

// How far the roundings of a group's sums can carry, in units of the root of their squares: all of one sign, or six
// times what random signs give.
inline double added_reach(std::int64_t group) {
  return std::min(std::sqrt(2.0 * static_cast<double>(group - 1)), 6 * std::sqrt(ErrorSums::mean_square));
}

// A right value that the file's type does not hold became infinite: where rounding decides, either is right.
inline bool is_overflow(double given, double right, double reach, double overflow) {
  return std::isinf(given) && std::isfinite(right) && std::signbit(given) == std::signbit(right) &&
         std::abs(right) + (std::isfinite(reach) ? reach : 0) >= overflow;
}

}  // namespace detail

// Rows of `dim` elements.
template <class Real>
ErrorSums compare_rows(const Compared<Real>& x, std::int64_t dim, const RowErrors& rows) {
  ErrorSums sums;
  const double spread = detail::added_reach(x.group);
  for (std::size_t n = 0; n < x.given.size(); ++n) {
    const std::size_t row = n / static_cast<std::size_t>(dim);
    const double given = x.given[n], right = x.right[n];
    if (!x.cancels.empty()) detail::note(static_cast<double>(x.cancels[n]), sums.cancels2, sums.most_cancels);
    const double added = x.added.empty() ? 0 : x.stored_unit * static_cast<double>(x.added[n]);
    const double reach =
        static_cast<double>(x.reach[n]) + spread * added + x.stored_unit * std::abs(right) + x.stored_least;
    const bool became_infinite = detail::is_overflow(given, right, reach, x.overflow);
    if (std::isfinite(right)) {
      detail::note(static_cast<double>(x.yardstick[n]) - right, sums.yardstick2, sums.most_yardstick);
      detail::note(added, sums.added2, sums.most_added);
      const bool held = !became_infinite && std::abs(right) < x.overflow;
      held ? ++sums.judged : ++sums.overflows;
      if (!held) sums.most_overflow = std::max(sums.most_overflow, std::abs(right));
    }
    if (became_infinite) continue;
    if (std::isfinite(given) && std::isfinite(right)) {
      const double error = std::abs(given - right);
      detail::note(given - right, sums.error2, sums.most_error);
      detail::note(right, sums.right2, sums.most_right);
      rows.largest[row] = std::max(rows.largest[row], error);
      if (!std::isfinite(reach)) continue;
      detail::note(reach, sums.explained2, sums.most_explained);
      rows.reach[row] = std::max(rows.reach[row], error / reach);
      sums.most_reach = std::max(sums.most_reach, error / reach);
      sums.most_size = std::max(sums.most_size, std::abs(right) / reach);
    } else if (given != right && !(std::isnan(given) && std::isnan(right))) {
      ++sums.nonfinite;
      rows.largest[row] = std::numeric_limits<double>::infinity();
    }
  }
  return sums;
}

}  // namespace ringscope
