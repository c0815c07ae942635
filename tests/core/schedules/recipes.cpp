#include "tests/core/schedules/recipes.h"

#include <numeric>

#include "core/error.h"
#include "core/pair_count.h"

namespace ringscope {

namespace {

std::vector<std::optional<BackwardStyle>> styles_of(const ScheduleKind& kind) {
  std::vector<std::optional<BackwardStyle>> out{std::nullopt};
  out.insert(out.end(), kind.styles.begin(), kind.styles.end());
  return out;
}

bool can_be(const RecipeCase& c) {
  try {
    validate(c.recipe, c.problem);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Problem problem_of(std::int64_t len_q, std::int64_t len_kv, Direction direction) {
  return {
      .heads_q = 6, .heads_kv = 2, .len_q = len_q, .len_kv = len_kv, .dim_qk = 3, .dim_v = 5, .direction = direction};
}

Recipe recipe_of(std::string schedule, Ranks ranks, std::optional<BackwardStyle> style) {
  Recipe recipe{.schedule = std::move(schedule), .ranks = ranks, .backward = style};
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name == recipe.schedule) recipe.kv_copies = kind.can_copy_kv;
  }
  return recipe;
}

std::string text_of(const RecipeCase& c) {
  const Recipe& r = c.recipe;
  std::string out = r.layout.name + " " + r.schedule + " r" + std::to_string(r.ranks.outer) + "x" +
                    std::to_string(r.ranks.inner) + " s" + std::to_string(c.problem.len_q) + "x" +
                    std::to_string(c.problem.len_kv);
  if (r.backward) out += " backward=" + std::string(name_of(*r.backward));
  return out + (r.prune ? " prune" : "");
}

std::vector<Ranks> grids_of(int ranks) {
  std::vector<Ranks> out;
  for (int outer = 1; outer <= ranks; ++outer) {
    if (ranks % outer == 0) out.push_back({outer, ranks / outer, true});
  }
  return out;
}

std::vector<RecipeCase> every_recipe(const Problem& problem, int ranks) {
  std::vector<RecipeCase> out;
  for (const ScheduleKind& kind : schedule_kinds()) {
    for (const Ranks& grid : kind.needs_grid ? grids_of(ranks) : std::vector<Ranks>{{1, ranks, false}}) {
      for (const auto& style : styles_of(kind)) {
        RecipeCase c{problem, recipe_of(std::string(kind.name), grid, style)};
        c.problem.direction = style ? Direction::forward_and_backward : Direction::forward;
        if (can_be(c)) out.push_back(c);
        c.recipe.prune = true;
        if (can_be(c)) out.push_back(c);
      }
    }
  }
  return out;
}

std::int64_t Tally::total() const {
  return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0});
}

Tally tally(const Plan& plan, Pass pass) {
  Tally out;
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    if (s.pass(t) != pass) continue;
    ++out.steps;
    for (const Move& m : s.moves_of(t)) {
      if (m.to == nobody) continue;
      const auto tensor = static_cast<std::size_t>(m.tensor);
      ++out.transfers[tensor];
      out.bytes[tensor] += plan.bytes(m.slice());
    }
  }
  return out;
}

std::vector<std::vector<std::int64_t>> pairs_by_step(const Plan& plan, Pass pass) {
  const PairCounter counter(plan.problem, plan.layout);
  std::vector<std::vector<std::int64_t>> out;
  for (int t = 0; t < plan.schedule.steps(); ++t) {
    if (plan.schedule.pass(t) != pass) continue;
    out.emplace_back(static_cast<std::size_t>(plan.layout.ranks), 0);
    for (const Attend& a : plan.schedule.attends_of(t)) {
      for (int i = 0; i < a.q.count; ++i) {
        for (int j = 0; j < a.kv.count; ++j) {
          out.back()[static_cast<std::size_t>(a.rank)] += counter.pairs(a.q.at(i), a.kv.at(j));
        }
      }
    }
  }
  return out;
}

}  // namespace ringscope
