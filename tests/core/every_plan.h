// Every recipe that can be, for the tests that must hold for all of them.
#pragma once
#include <string>
#include <vector>

#include "core/recipe.h"

namespace ringscope {

struct NamedPlan {
  std::string name;
  Plan plan;
};

inline std::vector<Ranks> grids_of(int ranks) {
  std::vector<Ranks> grids;
  for (int outer = 1; outer <= ranks; ++outer) {
    if (ranks % outer == 0) grids.push_back({outer, ranks / outer, true});
  }
  return grids;
}

inline std::string text_of(const Recipe& r, const Problem& p) {
  std::string out = r.schedule + " " + r.layout.name + " r" + std::to_string(r.ranks.outer) + "x" +
                    std::to_string(r.ranks.inner) + " s" + std::to_string(p.len_q) + "x" + std::to_string(p.len_kv);
  out += p.has_backward() ? " bwd" : " fwd";
  if (r.backward) out += " " + std::string(name_of(*r.backward));
  if (r.prune) out += " prune";
  if (r.kv_copies) out += " kv-copies";
  if (r.order == RingOrder::snake) out += " snake";
  return out;
}

// Every schedule, style and option that `problem` and this many ranks allow, on one layout.
inline std::vector<Recipe> every_recipe(const Problem& problem, int ranks, const LayoutSpec& layout) {
  std::vector<Recipe> out;
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (problem.has_backward() && kind.styles.empty()) continue;
    std::vector<std::optional<BackwardStyle>> styles{std::nullopt};
    if (problem.has_backward()) styles.assign(kind.styles.begin(), kind.styles.end());
    for (const Ranks& r : kind.needs_grid || kind.can_order ? grids_of(ranks) : std::vector<Ranks>{{1, ranks}}) {
      for (const auto& style : styles) {
        for (const bool prune : {false, true}) {
          for (const RingOrder order : {RingOrder::natural, RingOrder::snake}) {
            if (prune && (!kind.can_prune || style == BackwardStyle::reversed)) continue;
            if (order == RingOrder::snake && !kind.can_order) continue;
            const Recipe recipe{.layout = layout,
                                .schedule = std::string(kind.name),
                                .ranks = r,
                                .backward = style,
                                .prune = prune,
                                .kv_copies = kind.can_copy_kv,
                                .order = order};
            if (kind.refuse == nullptr || !kind.refuse(problem, recipe)) out.push_back(recipe);
          }
        }
      }
    }
  }
  return out;
}

template <class Check>
void for_each_plan(const Problem& problem, int ranks, const LayoutSpec& layout, const Check& check) {
  for (const Recipe& recipe : every_recipe(problem, ranks, layout)) {
    check(NamedPlan{text_of(recipe, problem), make_plan(problem, recipe)});
  }
}

// Six query heads on two KV heads, Dqk != Dv.
inline Problem small_problem(std::int64_t len_q, std::int64_t len_kv, Mask mask, Direction direction) {
  Problem p;
  p.heads_q = 6, p.heads_kv = 2;
  p.len_q = len_q, p.len_kv = len_kv;
  p.dim_qk = 3, p.dim_v = 5;
  p.mask = std::move(mask);
  p.direction = direction;
  return p;
}

}  // namespace ringscope
