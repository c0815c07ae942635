#include "core/recipe.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/footprint.h"
#include "core/nearest.h"
#include "core/plan_shape.h"

namespace ringscope {

namespace {

[[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_request, std::move(got), std::move(want), std::move(fix));
}

std::string listed(const std::vector<BackwardStyle>& styles) {
  std::string out;
  for (const BackwardStyle s : styles) out += (out.empty() ? "backward=" : " or backward=") + std::string(name_of(s));
  return out;
}

const ScheduleKind& kind_of(const Recipe& recipe) {
  std::vector<std::string_view> names;
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name == recipe.schedule) return kind;
    names.push_back(kind.name);
  }
  refuse("schedule " + recipe.schedule, any_of(names), nearest_sentence(recipe.schedule, names));
}

std::string with_words(const Recipe& recipe, std::string_view words) {
  return recipe.schedule + " with " + std::string(words);
}

void validate_ranks(const Recipe& recipe, const ScheduleKind& kind) {
  const Ranks& r = recipe.ranks;
  const std::string got =
      r.is_grid ? "r" + std::to_string(r.outer) + "x" + std::to_string(r.inner) : "r" + std::to_string(r.inner);
  if (r.outer < 1 || r.inner < 1 || (!r.is_grid && r.outer != 1)) refuse(got, "at least one rank: r8 or r2x4");
  if (static_cast<std::int64_t>(r.outer) * r.inner > most_ranks) {
    refuse(got, "at most " + std::to_string(most_ranks) + " ranks");
  }
  if (kind.needs_grid && !r.is_grid) refuse(with_words(recipe, got), "rOxI, outer x inner", "say r2x4, for example");
}

void validate_options(const Recipe& recipe, const ScheduleKind& kind) {
  if (recipe.prune && !kind.can_prune) {
    refuse(with_words(recipe, "prune"), "a schedule whose blocks can stop early", "leave prune off");
  }
  if (recipe.kv_copies && !kind.can_copy_kv) {
    refuse(with_words(recipe, "kv-copies"), "a schedule that deals heads: ulysses or usp", "leave kv-copies off");
  }
  if (recipe.order != RingOrder::natural && !kind.can_order) {
    refuse(with_words(recipe, "order=snake"), "a schedule with one ring over all ranks", "leave order off");
  }
}

void validate_backward(const Recipe& recipe, const ScheduleKind& kind, const Problem& problem) {
  if (problem.has_backward() && kind.styles.empty()) {
    refuse(with_words(recipe, "bwd"), "fwd", recipe.schedule + " computes forward only");
  }
  if (!recipe.backward) return;
  const std::string word = "backward=" + std::string(name_of(*recipe.backward));
  if (!problem.has_backward()) refuse(word + " with fwd", "bwd", "leave " + word + " off or say bwd");
  if (std::find(kind.styles.begin(), kind.styles.end(), *recipe.backward) == kind.styles.end()) {
    refuse(with_words(recipe, word), listed(kind.styles));
  }
  if (recipe.prune && *recipe.backward == BackwardStyle::reversed) {
    refuse("prune with backward=reversed", "backward=home or backward=qside",
           "a pruned block would have to wait where it stopped, many of them in one rank");
  }
}

// The order of the ranks round the ring. Snake: the nodes of the grid one after the other, every second one backwards,
// so that each hop between nodes but the closing one joins ranks with the same place in their nodes. With one node (or
// r8 without a grid) that is the natural order.
std::vector<int> ring_order(const Recipe& recipe) {
  const Ranks& ranks = recipe.ranks;
  std::vector<int> order(static_cast<std::size_t>(ranks.count()));
  std::iota(order.begin(), order.end(), 0);
  if (recipe.order == RingOrder::natural) return order;
  for (int node = 1; node < ranks.outer; node += 2) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(node) * ranks.inner;
    std::reverse(begin, begin + ranks.inner);
  }
  return order;
}

}  // namespace

std::string_view name_of(BackwardStyle style) {
  switch (style) {
    case BackwardStyle::home:
      return "home";
    case BackwardStyle::reversed:
      return "reversed";
    case BackwardStyle::qside:
      return "qside";
  }
  ensure(false, "a known backward style");
  return {};
}

void validate(const Recipe& recipe, const Problem& problem) {
  const ScheduleKind& kind = kind_of(recipe);
  validate_ranks(recipe, kind);
  validate_options(recipe, kind);
  validate_backward(recipe, kind, problem);
  constexpr std::int64_t most_heads = std::numeric_limits<std::uint16_t>::max();
  if (problem.heads_q > most_heads) {
    refuse(std::to_string(problem.heads_q) + " query heads", "at most " + std::to_string(most_heads));
  }
  if (kind.refuse == nullptr) return;
  if (const auto reason = kind.refuse(problem, recipe)) refuse(recipe.schedule, "heads that can be dealt", *reason);
}

Layout make_layout(const Problem& problem, const Recipe& recipe) {
  problem.validate();
  validate(recipe, problem);
  return make_layout(recipe.layout, problem, recipe.ranks.count(), kind_of(recipe).blocks_per_rank);
}

Plan make_plan(const Problem& problem, const Recipe& recipe, const PlanLimits& limits) {
  Plan plan{.problem = problem, .layout = make_layout(problem, recipe)};
  require_provable(plan.problem, plan.layout);
  const ScheduleKind& kind = kind_of(recipe);
  std::optional<BackwardStyle> style;
  if (problem.has_backward()) style = recipe.backward.value_or(kind.styles.front());
  plan.schedule = kind.build({.problem = plan.problem,
                              .layout = plan.layout,
                              .ranks = recipe.ranks,
                              .backward = style,
                              .prune = recipe.prune,
                              .kv_copies = recipe.kv_copies,
                              .ring_order = ring_order(recipe),
                              .most_bytes = limits.most_bytes});
  require_room_for_proof(plan, limits.most_bytes);
  return plan;
}

}  // namespace ringscope
