// The heart of every ring: one side travels, the other stays.
#pragma once
#include <span>
#include <vector>

#include "core/schedules/builder.h"
#include "core/schedules/route.h"

namespace ringscope {

struct Traveller {
  Share what;
  std::vector<int> path;  // the rank of each stop; path[0] is home
  int lane = 0;           // picks the slots: two travellers of one rank have different lanes
};

enum class LastCopy : std::uint8_t { drop, keep };  // keep: where the reversed backward begins

struct Rotation {
  int first_step = 0;
  Pass pass = Pass::forward;
  Side travels = Side::kv;  // kv: the KV blocks (and dKV); q: Q (backward: Q, dO, Stats and dQ)
  std::span<const Traveller> travellers;
  std::span<const Share> stays;  // [rank], of the other side
  Route route;
  LastCopy last_copy = LastCopy::drop;
};

// Writes the moves, attends and drops; returns the last step. In the forward pass of travelling queries the partial
// States stay where they are made, in slot gather_slot + stop.
int rotate(ScheduleBuilder& builder, const Rotation& rotation);

}  // namespace ringscope
