// A layout plus a schedule builder, and the plan they make of a problem.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout.h"
#include "core/plan.h"

namespace ringscope {

enum class BackwardStyle : std::uint8_t { home, reversed, qside };
std::string_view name_of(BackwardStyle style);

// N^2 attends and 1.5 N^2 moves per pass, 40 bytes each: 2 GB at 4,096 ranks, forward and backward.
inline constexpr int most_ranks = 4096;

// r8 is {1, 8}; r2x4 is {2, 4}, written is_grid.
struct Ranks {
  int outer = 1, inner = 4;
  bool is_grid = false;
  int count() const { return outer * inner; }
  bool operator==(const Ranks&) const = default;
};

enum class RingOrder : std::uint8_t { natural, snake };

struct Recipe {
  LayoutSpec layout;
  std::string schedule = "ring";
  Ranks ranks;
  std::optional<BackwardStyle> backward;  // absent: the schedule's first style
  bool prune = false;
  bool kv_copies = false;
  RingOrder order = RingOrder::natural;
  bool operator==(const Recipe&) const = default;
};

// What a builder is given: everything but the names.
struct BuildRequest {
  const Problem& problem;
  const Layout& layout;
  Ranks ranks;
  std::optional<BackwardStyle> backward;  // absent: forward only
  bool prune = false;
  bool kv_copies = false;
  std::vector<int> ring_order;  // a permutation of the ranks
  double most_bytes = 0;        // as PlanLimits has it
};

struct ScheduleKind {
  std::string_view name, sentence;
  bool needs_grid = false;  // rOxI
  int blocks_per_rank = 1;
  std::vector<BackwardStyle> styles;  // empty: forward only; the first is the default
  bool can_prune = false;
  bool can_order = false;  // takes order=snake
  bool can_copy_kv = false;
  Schedule (*build)(const BuildRequest&) = nullptr;
  // The reason why this problem cannot be spread this way, if so (Ulysses with N > Hq, say).
  std::optional<std::string> (*refuse)(const Problem&, const Recipe&) = nullptr;
};
std::span<const ScheduleKind> schedule_kinds();  // core/schedules/registry.cpp

// Throws Error(bad_request) when the recipe cannot be.
void validate(const Recipe& recipe, const Problem& problem);
// The layout of the plan alone: who owns which rows.
Layout make_layout(const Problem& problem, const Recipe& recipe);

struct PlanLimits {
  double most_bytes = 0;  // of the plan and its proof; 0: as many as it takes
};
// Throws Error(bad_request) before it would take more memory than is allowed, and for more than the proof takes.
Plan make_plan(const Problem& problem, const Recipe& recipe, const PlanLimits& limits = {});

}  // namespace ringscope
