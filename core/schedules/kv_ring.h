// Rings in which every rank keeps its queries and KV blocks travel: ring, bidi, double-ring and the rings of USP.
#pragma once
#include <optional>
#include <vector>

#include "core/schedules/rotate.h"

namespace ringscope {

struct KvRing {
  Route route;
  std::vector<Traveller> kv;   // go up
  std::vector<Traveller> q;    // go down, in backward=qside: a query meets the keys in the forward's order
  std::vector<Share> q_held;   // [rank]
  std::vector<Share> kv_held;  // [rank]
};

// One traveller per rank and side, which holds its own blocks and all heads.
KvRing own_blocks_ring(const ScheduleBuilder& builder, const Route& route);

// Attends and finishes; returns the last step. `next` is the style of the backward to come, if any.
int forward_ring(ScheduleBuilder& builder, int step, const KvRing& ring, std::optional<BackwardStyle> next);
int backward_ring(ScheduleBuilder& builder, int step, const KvRing& ring, BackwardStyle style);

// Forward and, if asked for, backward: the whole schedule where nothing else is to be moved.
Schedule kv_ring_schedule(ScheduleBuilder& builder, const KvRing& ring);

}  // namespace ringscope
