// The exact integers that the proof returns: transfers, bytes, pairs, balance, memory.
#pragma once
#include <vector>

#include "core/schedule_check.h"
#include "pictures/grid.h"

namespace ringscope {

// Transfers and figures per direction; bytes, pairs and memory per rank; pairs per rank and step.
std::vector<Grid> counts_grids(const ScheduleFacts& facts);
Picture draw(const ScheduleFacts& facts);
Sheet write(const ScheduleFacts& facts);

}  // namespace ringscope
