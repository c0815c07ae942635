// Which rank attends which block in which step: the travel of the KV blocks, seen as diagonals.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"
#include "pictures/work.h"

namespace ringscope {

struct ScheduleTable {
  int ranks = 0;
  std::vector<Pass> passes;             // [step]
  std::vector<std::vector<Work>> work;  // [step][rank]
  std::vector<std::int64_t> moves;      // [step], those that change rank
  int steps() const { return static_cast<int>(passes.size()); }
  std::int64_t pairs(int rank, Pass pass) const;
};

ScheduleTable make_schedule_table(const Plan& plan);
Picture draw(const ScheduleTable& table);
Sheet write(const ScheduleTable& table);

}  // namespace ringscope
