// A case made ready to draw or run: its plan, with the damage of a planted fault.
#pragma once
#include "core/case.h"
#include "core/execute.h"
#include "core/faults/planted.h"
#include "core/footprint.h"
#include "core/schedule_check.h"

namespace ringscope {

// Throws Error(bad_request) where that would not fit into memory.
void require_room(const Footprint& footprint);

// Throws Error(bad_request) for a name nobody knows; a backend that this build lacks is known.
void require_known_backend(const BackendChoice& choice);
// Throws Error(bad_request) for a plan that would not fit into memory, and for a fault that has no place in the case's
// schedule.
Planted stage(const Case& c);
// These show on a terminal how far they are.
Inputs filled(const Case& c);
Proof prove_told(const Plan& plan);
// Throws Error(unsupported) where the case's backend cannot, and Error(fault) where the run ends by one.
RunResult run(const Case& c, const Planted& stage, const Inputs& inputs, const RunOptions& options = {});

}  // namespace ringscope
