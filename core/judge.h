// One output tensor against what it should be: three checks, one form of answer. The allowances are derived in
// docs/numerics.md. Inside core; others use core/compare.h.
#pragma once
#include <string>
#include <vector>

#include "core/element_type.h"
#include "core/report.h"
#include "core/tensor.h"

namespace ringscope {

// C times this is the bound of the f64 check.
inline constexpr double f64_bound = 1e-13;
// The baseline check allows this many times the baseline's error, and this many ulp of the row's largest value.
inline constexpr double baseline_factor = 2, baseline_ulps = 2;
// A row of the baseline may be lucky: its error counts as at least this many times what rows of its condition lose.
inline constexpr double row_luck = 2;

// Error over allowance; above 1 is wrong. A row whose values are not finite where they should be has infinity.
struct Judgement {
  double overall = 0;
  std::vector<double> rows;  // [B * H * rows]
  double worst_finite() const;
  std::int64_t wrong_rows() const;
};

// Zero tolerance, or `ulps` of the type (for LSE). Ratios are in units of half an ulp where nothing is allowed.
Judgement judge_exact(const Tensor& got, const Tensor& want, ElementType type, double ulps);
// |x - ref| <= 1e-13 C + 2^-1022, element by element.
Judgement judge_bounds(const Tensor& got, const Tensor& want, const Tensor& magnitude);

// What the baseline check allows: root mean squares, over the tensor and for each row.
struct Allowance {
  double overall = 0;
  std::vector<double> rows;  // [B * H * rows]
};
// `stored` is the type of the output, `compute` that of its sums.
Allowance allowance_from(const Tensor& baseline, const Tensor& want, const Tensor& magnitude, ElementType stored,
                         ElementType compute);
Judgement judge_baseline(const Tensor& got, const Tensor& want, const Allowance& allowance);

// max_abs, rel_fro, nonfinite.
Figures measure(const Tensor& got, const Tensor& want);

double root_mean_square(const Tensor& x);  // over finite values

}  // namespace ringscope
