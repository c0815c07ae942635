// Plants numeric faults: hands a Mishap to a backend that can misbehave, and spoils outputs that have come home.
#pragma once
#include <memory>

#include "core/backend.h"
#include "core/faults/fault.h"

namespace ringscope {

// Happens at the site's rank and step in every run. Says that it does not support anything where the backend cannot.
std::unique_ptr<Backend> misbehaving(std::unique_ptr<Backend> inner, Mishap mishap, const FaultSite& site);

}  // namespace ringscope
