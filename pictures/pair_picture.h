// One query and one key: where they meet, when, and by which way their blocks came there.
#pragma once
#include <cstdint>
#include <optional>

#include "core/pair_path.h"
#include "core/pair_weight.h"
#include "core/plan.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct PairView {
  std::int64_t query = 0, key = 0, head = 0;
  int q_home = 0, kv_home = 0;  // ranks
  PairPath path;
  bool allowed = false;  // by the mask, in this batch item
  std::int64_t batch = 0;
  std::optional<PairWeight> weight;
};

struct PairRequest {
  std::int64_t query = 0, key = 0, head = 0, batch = 0;
};
PairView make_pair_view(const Plan& plan, const PairRequest& request, std::optional<PairWeight> weight = {});
Picture draw(const PairView& pair);
Sheet write(const PairView& pair);

}  // namespace ringscope
