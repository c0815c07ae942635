// The counts of a proved plan as JSON: `ringscope show counts --json`.
#pragma once
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/schedule_check.h"

namespace ringscope {

// {case, forward, backward (where there is one), peak_bytes [rank]}; each direction has transfers {kv, q, state, out,
// do, stats, dq, dkv, total} = slices that change rank, bytes [{from, to, bytes}], pairs [rank][step], balance and
// lockstep_efficiency.
nlohmann::ordered_json counts_json(std::string_view case_line, const ScheduleFacts& facts);

}  // namespace ringscope
