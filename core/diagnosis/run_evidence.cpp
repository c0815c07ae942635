#include "core/diagnosis/run_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/judge.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

double largest(const Tensor& tensor) {
  double most = 0;
  for (const double x : tensor.values) most = std::isfinite(x) ? std::max(most, std::abs(x)) : most;
  return most;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    const double difference = std::abs(a.values[n] - b.values[n]);
    most = std::isfinite(difference) ? std::max(most, difference) : most;
  }
  return most;
}

// The contract's allowance for one element: f64 by its bound, lower types by the baseline and an ulp or two.
double expected_error(const Problem& problem, const Reference& reference, Output output) {
  if (!reference.baseline) return f64_bound * largest(tensor_of(reference.magnitudes, output));
  const Tensor& want = tensor_of(reference.oracle, output);
  const ElementType stored = output == Output::lse ? ElementType::f32 : output_type(problem.type);
  return largest_difference(tensor_of(*reference.baseline, output), want) + baseline_ulps * ulp(stored, largest(want));
}

}  // namespace

Evidence run_evidence(const Plan& plan, const Reference& reference, const Outputs& outputs, const Report& report) {
  Evidence evidence{.problem = plan.problem,
                    .inputs = reference.inputs,
                    .given = outputs,
                    .right = reference.oracle,
                    .layout = plan.layout,
                    .figures = report.figures,
                    .first_wrong = report.where};
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    if (report.of(output).present) {
      evidence.divisor[static_cast<std::size_t>(n)] = expected_error(plan.problem, reference, output);
    }
  }
  return evidence;
}

}  // namespace ringscope
