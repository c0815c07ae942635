// How partial States become outputs: what pass-Q and decode share.
#pragma once
#include <vector>

#include "core/schedules/builder.h"

namespace ringscope {

// The State of foreign query blocks that a rank has made.
struct PartialState {
  int rank = 0;
  Blocks q;
};

// Merges them at their homes one step after `step`, in rank order, and finishes one step later. Returns the last step.
int merge_home(ScheduleBuilder& builder, int step, std::vector<PartialState> partials);

}  // namespace ringscope
