// What a failed check looks like: the named mistake whose recomputed outputs match the given ones, and how closely.
#pragma once
#include <optional>

#include "core/foreign/evidence.h"

namespace ringscope {

// Empty: no known pattern.
std::optional<Diagnosis> diagnose(const Evidence& evidence);

}  // namespace ringscope
