// A fault of a case, planted: into the plan, into the world, or into what the backend computes.
#pragma once
#include <memory>
#include <optional>

#include "core/backend.h"
#include "core/faults/fault.h"

namespace ringscope {

struct Planted {
  Plan plan;                         // damaged by a schedule fault
  const FaultKind* fault = nullptr;  // none is planted
  FaultSite site;

  bool in_the_world() const { return fault != nullptr && fault->family == FaultFamily::transport; }
};

// Nothing: the fault has no place in this plan. An empty name plants nothing.
std::optional<Planted> plant(const Plan& clean, const FaultChoice& choice, std::uint64_t seed);
// The same backend, but that the fault happens in every run of it.
std::unique_ptr<Backend> faulty(std::unique_ptr<Backend> backend, const Planted& planted);

}  // namespace ringscope
