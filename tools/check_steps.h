// What each rank held after each step, where a dump says so, against a right run of the same case.
#pragma once
#include <string>
#include <vector>

#include "core/case.h"
#include "core/compare.h"
#include "core/foreign/foreign_judge.h"
#include "core/run_log.h"
#include "formats/dump_diff.h"

namespace ringscope {

struct CheckedSteps {
  std::vector<TensorDiff> tensors;  // as they happened; none: the dump has no steps
  std::string remark;               // why steps that are there were not followed, or empty

  const TensorDiff* first() const;  // the first that differs beyond rounding; null: none
};

CheckedSteps check_steps(const Dump& dump, const Judged& judged);

// The same of a run of our own, which has snapshots.
CheckedSteps check_steps(const Case& c, const Plan& plan, const RunLog& log, const Reference& reference);

}  // namespace ringscope
