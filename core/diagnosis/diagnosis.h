// What a failed check looks like: the named mistake whose recomputed outputs match the given ones, and how closely.
#pragma once
#include <optional>
#include <string>

#include "core/foreign/evidence.h"

namespace ringscope {

struct Diagnosis {
  std::string name;      // as `list faults` and expected.json say it, with underscores
  bool certain = false;  // no other known mistake explains the outputs as well
  std::string evidence;  // one sentence
};

// Empty: no known pattern.
std::optional<Diagnosis> diagnose(const Evidence& evidence);

}  // namespace ringscope
