// Where a damaged schedule first says something else than the clean one.
#pragma once
#include <optional>
#include <string>

#include "core/schedule.h"

namespace ringscope {

struct ScheduleDifference {
  int rank = 0, step = 0;
  Slice slice;           // KV for an attend, what is moved for a move, the queries for a finish
  std::string sentence;  // "rank 2 at step 1 does not attend Q b2 h0-8 with KV b1 h0-2"
};

// Records are compared step by step, attends before moves before finishes. What only the damaged one has is told too.
std::optional<ScheduleDifference> first_difference(const Schedule& clean, const Schedule& damaged);

}  // namespace ringscope
