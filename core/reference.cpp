// What a case is judged by, and whether a verdict on its data means anything.
#include <algorithm>
#include <cmath>

#include "core/compare.h"
#include "core/judge.h"
#include "core/pair_count.h"

namespace ringscope {

namespace {

bool same_row(const Tensor& x, const double* a, const double* b) {
  return std::equal(a, a + x.shape.dim, b);
}

// At least two rows, all of them equal: then a row in the wrong place goes unseen. matters(b, h, row) picks rows.
template <class Matters>
bool is_constant(const Tensor& x, Matters&& matters) {
  const double* first = nullptr;
  std::int64_t others = 0;
  for (std::int64_t b = 0; b < x.shape.batch; ++b) {
    for (std::int64_t h = 0; h < x.shape.heads; ++h) {
      for (std::int64_t r = 0; r < x.shape.rows; ++r) {
        if (!matters(b, r)) continue;
        const double* row = x.row(b, h, r);
        if (first != nullptr && !same_row(x, first, row)) return false;
        if (first != nullptr) ++others;
        if (first == nullptr) first = row;
      }
    }
  }
  return others > 0;
}

double allowed_overall(const Problem& problem, const Reference& reference, Tensor Outputs::*output) {
  const Tensor& magnitude = reference.magnitudes.*output;
  if (!reference.baseline) return f64_bound * root_mean_square(magnitude);
  return allowance_from(*reference.baseline.*output, reference.oracle.*output, magnitude, output_type(problem.type),
                        ElementType::f32)
      .overall;
}

bool drowns(const Problem& problem, const Reference& reference, Tensor Outputs::*output) {
  const double size = root_mean_square(reference.oracle.*output);
  // In a small problem dropout may drop every weight: then a kernel that keeps one is seen.
  if (size == 0 && problem.terms.dropout > 0) return false;
  return allowed_overall(problem, reference, output) >= size;
}

std::optional<std::string> mistrust_of(const Problem& problem, Fill fill, const Reference& reference) {
  // Poison without a pair still shows whether anything unseen gets through.
  if (fill != Fill::poison && total_pairs(problem) == 0) return "no query may see any key, so nothing was computed";
  if (reference.exact || total_pairs(problem) == 0) return std::nullopt;
  const MaskRows mask = problem.mask_rows();
  const auto chooses = [&](std::int64_t b, std::int64_t i) { return mask.row(b, i).size() >= 2; };
  if (is_constant(reference.oracle.o, chooses) && is_constant(reference.oracle.lse, chooses)) {
    return "the right O and LSE are the same in all rows that see two or more keys, so a row in the wrong place goes "
           "unseen";
  }
  if (drowns(problem, reference, &Outputs::o)) return "the right O is no larger than its bound, so zeros would pass";
  if (!problem.has_backward()) return std::nullopt;
  if (is_constant(reference.inputs.d_o, [](std::int64_t, std::int64_t) { return true; })) {
    return "dO is the same in all rows, so a row in the wrong place goes unseen";
  }
  if (drowns(problem, reference, &Outputs::dv)) return "the right dV is no larger than its bound, so zeros would pass";
  return std::nullopt;
}

}  // namespace

Reference make_reference(const Problem& problem, Fill fill, std::uint64_t seed, Weights weights, const TellDone& tell) {
  tell_done(tell, 0);  // the fill alone may take a while
  Reference out;
  out.inputs = make_inputs(problem, fill, seed);
  const bool has_baseline = problem.type != ElementType::f64;
  const double first = has_baseline ? 0.25 : 0.4, second = has_baseline ? 0.75 : 1;  // of the time, as measured
  out.oracle = oracle<double>(problem, out.inputs, part_of(tell, 0, first));
  out.magnitudes = magnitudes(problem, out.inputs, part_of(tell, first, second));
  if (has_baseline) out.baseline = baseline(problem, out.inputs, weights, part_of(tell, second, 1));
  out.exact = exact_outputs(problem, fill, seed, out.inputs);
  out.mistrust = mistrust_of(problem, fill, out);
  return out;
}

}  // namespace ringscope
