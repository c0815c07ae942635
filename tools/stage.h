// A case made ready to draw or run: its plan, with the damage of a planted fault.
#pragma once
#include "core/case.h"
#include "core/execute.h"
#include "core/faults/fault.h"
#include "core/plan.h"

namespace ringscope {

struct Stage {
  Plan plan;
  const FaultKind* fault = nullptr;  // none is planted
  FaultSite site;
};

// Throws Error(bad_request) for a fault that has no place in the case's schedule.
Stage stage(const Case& c);
// Throws Error(unsupported) where the case's backend cannot, and Error(fault) where the run ends by one.
RunResult run(const Case& c, const Stage& stage, const Inputs& inputs, const RunOptions& options = {});

}  // namespace ringscope
