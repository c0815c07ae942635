// One step of a schedule on a ring of ranks: what each attends, and what moves to whom meanwhile.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"
#include "pictures/work.h"

namespace ringscope {

// All that goes from one rank to another in the step.
struct Traffic {
  int from = 0, to = 0;
  std::vector<std::string> names;  // "KV3", in list order
  int tint = -1;                   // the home of what moves; -1: several homes
  std::int64_t bytes = 0;
  int lag = 0;  // the largest: lands so many steps later
};

struct RingStep {
  int step = 0, steps = 0;
  Pass pass = Pass::forward;
  std::vector<Work> work;        // [rank]
  std::vector<int> finishes;     // [rank], how many
  std::vector<Traffic> traffic;  // by sender, then receiver
};

// Throws Error(bad_request) for a step that the schedule does not have.
RingStep make_ring_step(const Plan& plan, int step);
Picture draw(const RingStep& ring);
Sheet write(const RingStep& ring);

}  // namespace ringscope
