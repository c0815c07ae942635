#include "core/compare.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/judge.h"

namespace ringscope {

namespace {

struct OutputField {
  Output output;
  Tensor Outputs::*tensor;
  std::optional<Tensor> ExactOutputs::*exact;
};
constexpr OutputField fields[output_kinds] = {
    {Output::o, &Outputs::o, &ExactOutputs::o},    {Output::lse, &Outputs::lse, &ExactOutputs::lse},
    {Output::dq, &Outputs::dq, &ExactOutputs::dq}, {Output::dk, &Outputs::dk, &ExactOutputs::dk},
    {Output::dv, &Outputs::dv, &ExactOutputs::dv},
};

std::string three_digits(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 3).ptr;
  return {text, end};
}

ElementType compute_type(const Problem& problem) {
  return problem.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

void fail(Report& report, std::string reason, Place place) {
  if (report.verdict == Verdict::failed) return;
  report.verdict = Verdict::failed;
  report.reason = std::move(reason);
  report.where = std::move(place);
}

struct Check {
  std::string name;
  const Tensor& want;
  Judgement judgement;
};

Check check(const Problem& problem, const Reference& reference, const OutputField& field, const Tensor& got) {
  const ElementType compute = compute_type(problem);
  const ElementType stored = field.output == Output::lse ? compute : output_type(problem.type);
  if (reference.exact && ((*reference.exact).*field.exact)) {
    const Tensor& want = *((*reference.exact).*field.exact);
    const double ulps = field.output == Output::lse ? reference.exact->lse_ulps : 0;
    return {"exact", want, judge_exact(got, want, stored, ulps)};
  }
  const Tensor& want = reference.oracle.*field.tensor;
  const Tensor& magnitude = reference.magnitudes.*field.tensor;
  if (!reference.baseline) return {"bounds", want, judge_bounds(got, want, magnitude)};
  const Allowance allowance = allowance_from(*reference.baseline.*field.tensor, want, magnitude, stored, compute);
  return {"baseline", want, judge_baseline(got, want, allowance)};
}

// The first row that is wrong by itself; else, when only the whole is wrong, the worst one.
std::size_t first_wrong_row(const std::vector<double>& rows) {
  const auto first = std::find_if(rows.begin(), rows.end(), [](double ratio) { return ratio > 1; });
  const auto found = first != rows.end() ? first : std::max_element(rows.begin(), rows.end());
  return static_cast<std::size_t>(found - rows.begin());
}

Place place_of(const Check& done, Output output) {
  const Shape& shape = done.want.shape;
  const auto row = static_cast<std::int64_t>(first_wrong_row(done.judgement.rows));
  Place place{.check = done.name, .output = output};
  place.row = row % shape.rows;
  place.head = row / shape.rows % shape.heads;
  place.batch = row / shape.rows / shape.heads;
  return place;
}

std::string reason_of(const Check& done, const Figures& figures, const Place& place) {
  const std::string name(name_of(*place.output));
  std::string out = name;
  if (figures.nonfinite > 0) {
    out += " has " + std::to_string(figures.nonfinite) + " values that are finite or infinite where they should not be";
  } else if (done.name == "exact") {
    out += " is not the exact answer in " + std::to_string(done.judgement.wrong_rows()) + " of " +
           std::to_string(done.judgement.rows.size()) + " rows";
  } else {
    out += " is off by " + three_digits(std::max(figures.ratio, figures.peak_ratio)) + " times what is allowed; " +
           std::to_string(done.judgement.wrong_rows()) + " of " + std::to_string(done.judgement.rows.size()) +
           " rows are wrong";
  }
  return out + ", first batch " + std::to_string(place.batch) + ", head " + std::to_string(place.head) + ", row " +
         std::to_string(place.row);
}

void compare_output(const Problem& problem, const Reference& reference, const OutputField& field,
                    const Outputs& outputs, Report& report) {
  const Tensor& got = outputs.*field.tensor;
  const Shape& shape = (reference.oracle.*field.tensor).shape;
  if (shape.size() == 0) return;
  Figures& figures = report.of(field.output);
  if (got.shape != shape) {
    figures.verdict = Verdict::failed;
    fail(report, std::string(name_of(field.output)) + " is missing or has the wrong shape",
         {.check = "shape", .output = field.output});
    return;
  }
  const Check done = check(problem, reference, field, got);
  figures = measure(got, done.want);
  figures.ratio = done.judgement.overall;
  figures.peak_ratio = done.judgement.worst_finite();
  if (figures.nonfinite == 0 && figures.ratio <= 1 && figures.peak_ratio <= 1) return;
  figures.verdict = Verdict::failed;
  const Place place = place_of(done, field.output);
  fail(report, reason_of(done, figures, place), place);
}

// One number per query head; judged like a tensor of one row per head.
Tensor by_head(const std::vector<double>& values) {
  Tensor out(Shape{1, static_cast<std::int64_t>(values.size()), 1, 1});
  out.values = values;
  return out;
}

void compare_sink(const Problem& problem, const Reference& reference, const Outputs& outputs, Report& report) {
  const std::vector<double>& want = reference.oracle.d_sink;
  if (want.empty()) return;
  Place place{.check = "d_sink"};
  if (outputs.d_sink.size() != want.size()) {
    fail(report, "the gradient of the sink logit is missing", place);
    return;
  }
  const Tensor got = by_head(outputs.d_sink), reference_sink = by_head(want);
  const Tensor magnitude = by_head(reference.magnitudes.d_sink);
  // Its error is that of O as stored, so the step of that type is the one that counts.
  const Judgement judgement =
      reference.baseline ? judge_baseline(got, reference_sink,
                                          allowance_from(by_head(reference.baseline->d_sink), reference_sink, magnitude,
                                                         output_type(problem.type), ElementType::f32))
                         : judge_bounds(got, reference_sink, magnitude);
  if (judgement.wrong_rows() == 0 && judgement.overall <= 1) return;
  place.head = static_cast<std::int64_t>(first_wrong_row(judgement.rows));
  fail(report, "the gradient of the sink logit is wrong, first in head " + std::to_string(place.head), place);
}

}  // namespace

Report compare(const Problem& problem, const Reference& reference, const Outputs& outputs) {
  Report report;
  for (const OutputField& field : fields) compare_output(problem, reference, field, outputs, report);
  compare_sink(problem, reference, outputs, report);
  if (report.verdict == Verdict::passed && reference.mistrust) {
    report.verdict = Verdict::mistrusted;
    report.reason = *reference.mistrust;
  }
  return report;
}

std::vector<double> row_ratios(const Problem& problem, const Reference& reference, Output output,
                               const Outputs& outputs) {
  const OutputField& field = fields[static_cast<std::size_t>(output)];
  const Tensor& got = outputs.*field.tensor;
  if ((reference.oracle.*field.tensor).empty()) return {};
  ensure(got.shape == (reference.oracle.*field.tensor).shape, "outputs of the problem");
  return check(problem, reference, field, got).judgement.rows;
}

}  // namespace ringscope
