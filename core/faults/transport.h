// Plants faults of the world into any backend: a decorator between the loop over the schedule and the ranks.
#pragma once
#include <memory>

#include "core/backend.h"
#include "core/faults/fault.h"

namespace ringscope {

// The same backend, but that the fault happens at the site in every run. Throws Error(bad_request) when the kind is not
// one of transport_faults().
std::unique_ptr<Backend> with_fault(std::unique_ptr<Backend> inner, const FaultKind& kind, const FaultSite& site);

}  // namespace ringscope
