// Where one query meets one key: on which rank, in which step, and by which moves their blocks came there.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan.h"

namespace ringscope {

struct Hop {
  int step = 0, lands = 0;  // posted in `step`, there from the end of step `lands` on
  int from = 0, to = 0;
  bool operator==(const Hop&) const = default;
};

// One attend of the pair. A block that was at home has no hops.
struct Meeting {
  Pass pass = Pass::forward;
  int rank = 0, step = 0;
  std::vector<Hop> q_hops, kv_hops;  // from home on
};

struct PairPath {
  int q_block = 0, kv_block = 0;
  std::vector<Meeting> meetings;  // by step; a proved plan has one per pass, if the mask lets i see j
};

// Global positions i and j of one query head. Throws Error(bad_request) where there is no such query, key or head.
PairPath find_pair(const Plan& plan, std::int64_t i, std::int64_t j, std::int64_t head = 0);

}  // namespace ringscope
