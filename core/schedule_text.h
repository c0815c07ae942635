// The text form of a plan: self-contained, so that people can prove their own schedules (docs/schedules.md).
#pragma once
#include <string>
#include <string_view>

#include "core/plan.h"

namespace ringscope {

// The problem field, ranks, the layout's ranges, then the steps.
std::string schedule_text(const Plan& plan);
// parse_schedule_text(schedule_text(p)) == p. Throws Error(bad_file) with line and column.
Plan parse_schedule_text(std::string_view text);

}  // namespace ringscope
