// The maps of a check among ranks: rank by step where the dump has steps, whose shares its rows took where it has a
// layout.
#pragma once
#include <vector>

#include "pictures/rank_map.h"
#include "tools/check_run.h"

namespace ringscope {

// One map for each kind of step tensor: o, lse, dq, dk, dv. The ratio is of the largest error to what rounding
// explains.
std::vector<RankMap> step_maps(const std::vector<TensorDiff>& steps);

// Each cell how often a rank's rows took what another rank adds; wrong when more than a twentieth of it is missing or
// too much. Nothing is claimed for a rank of whose error whole shares explain less than 99 %.
std::vector<RankMap> share_maps(const std::vector<BlockShares>& shares);

}  // namespace ringscope
