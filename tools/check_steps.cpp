#include "tools/check_steps.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/execute.h"
#include "core/tensor_of.h"
#include "formats/export.h"
#include "tools/stage.h"

namespace ringscope {

namespace {

// Products of the run that is followed; some seconds.
constexpr double most_products = 1e10;

bool has_steps(const Dump& dump) {
  for (const std::string& path : dump.paths) {
    const TensorFile file = TensorFile::read(path);
    if (std::any_of(file.tensors().begin(), file.tensors().end(),
                    [](const FileTensor& t) { return t.name.starts_with("t0.r"); })) {
      return true;
    }
  }
  return false;
}

Inputs inputs_of(const Dump& dump) {
  Inputs inputs;
  inputs.q = dump.q.read(), inputs.k = dump.k.read(), inputs.v = dump.v.read();
  if (dump.d_o) inputs.d_o = dump.d_o->read();
  inputs.alibi_slope = dump.alibi_slopes, inputs.sink_logit = dump.sinks;
  inputs.dropout_seed = dump.dropout_seed;
  return inputs;
}

// The case without its fault, in fp64.
std::vector<TensorToWrite> right_steps(Case c, const Inputs& inputs) {
  c.fault = {}, c.backend = {};
  c.problem.type = ElementType::f64;
  const Planted staged = stage(c);
  RunOptions options;
  options.record = RunOptions::Record::snapshots;
  const RunResult result = run(c, staged, inputs, options);
  return step_tensors(staged.plan, result.log);
}

bool is_too_large(const Problem& p) {
  return static_cast<double>(p.batch * p.heads_q * p.len_q) * static_cast<double>(p.len_kv * (p.dim_qk + p.dim_v)) >
         most_products;
}

ElementType sum_type(const Problem& p) {
  return p.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

// As the judge's floors: scores round before weights are made of them, and what cancels leaves its errors behind.
StepTolerance tolerance_of(const Problem& p, const Judged& judged) {
  StepTolerance out;
  out.roundoff =
      std::max(unit_roundoff(output_type(p.type)), unit_roundoff(sum_type(p)) * std::max(1.0, judged.largest_score));
  for (std::size_t n = 0; n < judged.outputs.size(); ++n) out.error[n] = judged.outputs[n].row_tolerance();
  return out;
}

// As the contract's baseline: its largest error, and sixteen units of C.
StepTolerance tolerance_of(const Problem& p, const Reference& reference) {
  StepTolerance out;
  out.roundoff = unit_roundoff(output_type(p.type));
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    const Tensor &right = tensor_of(reference.oracle, output), &magnitudes = tensor_of(reference.magnitudes, output);
    double most = 0, most_c = 0;
    for (std::size_t at = 0; at < right.values.size(); ++at) {
      if (!std::isfinite(right.values[at])) continue;
      most_c = std::max(most_c, magnitudes.values[at]);
      if (reference.baseline) {
        most = std::max(most, std::abs(tensor_of(*reference.baseline, output).values[at] - right.values[at]));
      }
    }
    out.error[static_cast<std::size_t>(n)] = 6 * most + 16 * unit_roundoff(sum_type(p)) * most_c;
  }
  return out;
}

}  // namespace

const TensorDiff* CheckedSteps::first() const {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [](const TensorDiff& d) { return d.differs(); });
  return it == tensors.end() ? nullptr : &*it;
}

CheckedSteps check_steps(const Dump& dump, const Judged& judged) {
  CheckedSteps out;
  if (dump.case_line.empty() || !has_steps(dump)) return out;
  if (is_too_large(dump.problem)) {
    out.remark = "the steps are not followed: the run is too large";
    return out;
  }
  try {
    out.tensors = compare_steps(dump.paths, right_steps(parse_case(dump.case_line), inputs_of(dump)),
                                tolerance_of(dump.problem, judged));
  } catch (const Error& error) {
    out.remark = "the steps are not followed: got " + error.got;
  }
  return out;
}

CheckedSteps check_steps(const Case& c, const Plan& plan, const RunLog& log, const Reference& reference) {
  if (is_too_large(c.problem)) return {{}, "the steps are not followed: the run is too large"};
  return {compare_steps(step_tensors(plan, log), right_steps(c, reference.inputs), tolerance_of(c.problem, reference)),
          {}};
}

}  // namespace ringscope
