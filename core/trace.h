// What happened when, per rank and lane: predicted or measured, the same type.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/slice.h"

namespace ringscope {

enum class Lane : std::uint8_t { compute, send, receive, wait };
std::string_view name_of(Lane lane);

enum class EventKind : std::uint8_t { attend, finish, move, land, wait };

struct TraceEvent {
  int rank = 0;
  Lane lane = Lane::compute;
  EventKind kind = EventKind::attend;
  int step = 0;
  double begin_seconds = 0, end_seconds = 0;  // from the start of the run
  Slice slice;                                // what was attended (the KV slice), finished, moved or waited for
  std::int64_t bytes = 0;                     // moves only
  int peer = -1;                              // the other rank of a move
};

struct Trace {
  std::string case_line;
  bool measured = true;
  int ranks = 0;
  std::vector<TraceEvent> events;  // by rank, then by begin_seconds
};

}  // namespace ringscope
