// The schedules by name.
#include <array>

#include "core/schedules/builders.h"

namespace ringscope {

std::span<const ScheduleKind> schedule_kinds() {
  using enum BackwardStyle;
  static const std::array<ScheduleKind, 8> kinds{{
      {.name = "ring",
       .sentence = "KV blocks go round a ring, N-1 hops; queries stay",
       .styles = {home, reversed, qside},
       .can_prune = true,
       .can_order = true,
       .build = build_ring},
      {.name = "bidi",
       .sentence = "half of each KV block goes round the ring one way, half the other",
       .blocks_per_rank = 2,
       .styles = {home, reversed, qside},
       .can_prune = true,
       .can_order = true,
       .build = build_bidi},
      {.name = "double-ring",
       .sentence = "a ring inside each node and a slower one between the nodes, overlapped (rOxI)",
       .needs_grid = true,
       .styles = {home, reversed, qside},
       .can_prune = true,
       .build = build_double_ring},
      {.name = "all-gather",
       .sentence = "every rank gets all KV blocks at once and attends once",
       .styles = {home},
       .build = build_all_gather},
      {.name = "ulysses",
       .sentence = "an all-to-all gives each rank all rows of some heads, another one takes them back",
       .styles = {home},
       .can_copy_kv = true,
       .build = build_ulysses,
       .refuse = refuse_ulysses},
      {.name = "usp",
       .sentence = "Ulysses inside groups of I ranks, a KV ring between the O groups (rOxI)",
       .needs_grid = true,
       .styles = {home, reversed, qside},
       .can_prune = true,
       .can_copy_kv = true,
       .build = build_usp,
       .refuse = refuse_usp},
      {.name = "pass-q",
       .sentence = "queries go round the ring, KV stays; partial states merge at home",
       .styles = {qside},
       .can_order = true,
       .build = build_pass_q},
      {.name = "decode",
       .sentence = "few queries are copied to all ranks; partial states merge at their owner; forward only",
       .build = build_decode},
  }};
  return kinds;
}

}  // namespace ringscope
