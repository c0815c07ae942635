// A case made ready to draw or run: its plan, with the damage of a planted fault.
#pragma once
#include "core/case.h"
#include "core/execute.h"
#include "core/faults/planted.h"

namespace ringscope {

// Throws Error(bad_request) where the tensors of a run, or of one and its oracle, would not fit into memory.
enum class Needs : std::uint8_t { outputs, oracle };
void require_room(const Case& c, Needs needs);

// Throws Error(bad_request) for a plan that would not fit into memory, and for a fault that has no place in the case's
// schedule.
Planted stage(const Case& c);
// Throws Error(unsupported) where the case's backend cannot, and Error(fault) where the run ends by one.
RunResult run(const Case& c, const Planted& stage, const Inputs& inputs, const RunOptions& options = {});

}  // namespace ringscope
