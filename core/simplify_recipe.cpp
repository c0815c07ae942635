// Simpler recipes, backends and data: ranks, schedules, layouts, options, fills, seeds, places of faults.
#include <algorithm>

#include "core/simplify.h"

namespace ringscope {

namespace {

// What a planted fault needs when the schedule changes under it. One that was told where to happen stays there or moves
// to one of the first places; else the seed picks its place, and another seed may pick a better one.
std::vector<Case> with_places(const Case& c) {
  constexpr int few_ranks = 3, few_steps = 6;
  constexpr std::uint64_t few_seeds = 8;
  const FaultChoice& fault = c.fault;
  std::vector<Case> cases{c};
  if (fault.name.empty()) return cases;
  for (int rank = std::min(fault.rank, few_ranks); rank >= std::min(fault.rank, 0); --rank) {
    for (int step = std::min(fault.step, few_steps); step >= std::min(fault.step, 0); --step) {
      cases.push_back(c);
      cases.back().fault.rank = rank;
      cases.back().fault.step = step;
    }
  }
  const bool is_placed = fault.rank >= 0 && fault.step >= 0;
  for (std::uint64_t seed = 0; seed < few_seeds && !is_placed; ++seed) {
    cases.push_back(c);
    cases.back().seed = seed;
  }
  return cases;
}

void append_with_places(std::vector<Case>& cases, const Case& c) {
  const auto more = with_places(c);
  cases.insert(cases.end(), more.begin(), more.end());
}

std::vector<Case> fewer_ranks(const Case& c) {
  const Ranks& ranks = c.recipe.ranks;
  std::vector<Case> cases;
  const auto try_ranks = [&](Ranks fewer) {
    Case smaller = c;
    smaller.recipe.ranks = fewer;
    append_with_places(cases, smaller);
  };
  for (const std::int64_t n : numbers_below(ranks.count(), 1)) try_ranks({1, static_cast<int>(n), false});
  if (ranks.is_grid) {
    for (const std::int64_t n : numbers_below(ranks.outer, 1)) try_ranks({static_cast<int>(n), ranks.inner, true});
    for (const std::int64_t n : numbers_below(ranks.inner, 1)) try_ranks({ranks.outer, static_cast<int>(n), true});
    try_ranks({1, ranks.count(), false});
  }
  return cases;
}

// Words that the kind does not take go with its predecessor.
void take_schedule(Case& c, const ScheduleKind& kind) {
  Recipe& recipe = c.recipe;
  recipe.schedule = kind.name;
  if (kind.styles.empty()) c.problem.direction = Direction::forward;
  const bool keeps_style = recipe.backward && c.problem.has_backward() &&
                           std::find(kind.styles.begin(), kind.styles.end(), *recipe.backward) != kind.styles.end();
  if (!keeps_style) recipe.backward.reset();
  recipe.prune = recipe.prune && kind.can_prune;
  recipe.kv_copies = recipe.kv_copies && kind.can_copy_kv;
  if (!kind.can_order) recipe.order = RingOrder::natural;
}

std::vector<Case> earlier_schedule(const Case& c) {
  std::vector<Case> cases;
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name == c.recipe.schedule) break;
    Case simpler = c;
    take_schedule(simpler, kind);
    append_with_places(cases, simpler);
  }
  return cases;
}

std::vector<Case> simpler_layout(const Case& c) {
  std::vector<Case> cases;
  for (const LayoutKind& kind : layout_kinds()) {
    if (kind.name == c.recipe.layout.name) break;
    Case simpler = c;
    simpler.recipe.layout = LayoutSpec{std::string(kind.name)};
    cases.push_back(simpler);
  }
  const auto stripes = with_each(c, numbers_below(c.recipe.layout.stripe, 1),
                                 [](Case& s, std::int64_t stripe) { s.recipe.layout.stripe = stripe; });
  cases.insert(cases.end(), stripes.begin(), stripes.end());
  return cases;
}

std::vector<Case> fewer_options(const Case& c) {
  std::vector<Case> cases(7, c);
  cases[0].recipe.prune = false;
  cases[1].recipe.kv_copies = false;
  cases[2].recipe.order = RingOrder::natural;
  cases[3].recipe.backward.reset();
  cases[4].backend.threads = 0;
  cases[5].backend.tile = 0;
  cases[6].backend.link_mb = 0;
  return cases;
}

std::vector<Case> forward_only(const Case& c) {
  Case simpler = c;
  simpler.problem.direction = Direction::forward;
  simpler.recipe.backward.reset();
  return c.problem.has_backward() ? with_places(simpler) : std::vector<Case>{};
}

std::vector<Case> earlier_fill(const Case& c) {
  std::vector<Case> cases;
  for (const FillInfo& info : fills()) {
    if (info.fill == c.fill) break;
    Case simpler = c;
    simpler.fill = info.fill;
    cases.push_back(simpler);
  }
  return cases;
}

std::vector<Case> lower_seed(const Case& c) {
  constexpr std::uint64_t few = 4;
  std::vector<Case> cases;
  for (std::uint64_t seed = 0; seed < std::min(c.seed, few); ++seed) {
    cases.push_back(c);
    cases.back().seed = seed;
  }
  return cases;
}

std::vector<Case> earlier_place(const Case& c) {
  auto cases = with_each(c, numbers_below(c.fault.rank, 0),
                         [](Case& s, std::int64_t rank) { s.fault.rank = static_cast<int>(rank); });
  const auto steps = with_each(c, numbers_below(c.fault.step, 0),
                               [](Case& s, std::int64_t step) { s.fault.step = static_cast<int>(step); });
  cases.insert(cases.end(), steps.begin(), steps.end());
  return cases;
}

}  // namespace

std::vector<Simplification> recipe_simplifications() {
  return {fewer_options, fewer_ranks,  earlier_schedule, simpler_layout,
          forward_only,  earlier_fill, lower_seed,       earlier_place};
}

}  // namespace ringscope
