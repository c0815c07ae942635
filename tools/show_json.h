// The models of the pictures as JSON.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "pictures/balance_bars.h"
#include "pictures/error_map.h"
#include "pictures/layout_strip.h"
#include "pictures/mask_map.h"
#include "pictures/pair_picture.h"
#include "pictures/rank_map.h"
#include "pictures/ring_step.h"
#include "pictures/schedule_table.h"
#include "pictures/timeline.h"

namespace ringscope {

nlohmann::ordered_json to_json(const LayoutStrip& strip);
nlohmann::ordered_json to_json(const MaskMap& map);
nlohmann::ordered_json to_json(const ScheduleTable& table);
nlohmann::ordered_json to_json(const RingStep& ring);
nlohmann::ordered_json to_json(const std::vector<BalanceBars>& bars);
nlohmann::ordered_json to_json(const PairView& pair);
nlohmann::ordered_json to_json(const Timeline& timeline);
nlohmann::ordered_json to_json(const std::vector<ErrorMap>& maps);  // null where not finite
nlohmann::ordered_json to_json(const std::vector<RankMap>& maps);   // [rank][column]; null where nothing is there, too

}  // namespace ringscope
