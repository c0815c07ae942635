// What a diagnosis works on, from a run of our own that failed.
#pragma once
#include "core/compare.h"
#include "core/foreign/evidence.h"
#include "core/plan.h"

namespace ringscope {

// `report` has the figures of `outputs` against `reference`, and the first wrong place.
Evidence run_evidence(const Plan& plan, const Reference& reference, const Outputs& outputs, const Report& report);

}  // namespace ringscope
