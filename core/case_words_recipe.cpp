// The recipe field: layout, schedule, ranks, options. Names come from layout_kinds() and schedule_kinds() alone.
#include <algorithm>

#include "core/case_words.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

const ScheduleKind* kind_named(std::string_view name) {
  const auto kinds = schedule_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const ScheduleKind& k) { return k.name == name; });
  return kind == kinds.end() ? nullptr : &*kind;
}

WordKind layout_word(const LayoutKind& kind) {
  const std::string name(kind.name);
  WordKind word{Topic::layout, name, Takes::nothing, name, std::string(kind.sentence), {}, {}};
  word.takes = kind.takes_stripe ? Takes::optional_value : Takes::nothing;
  word.read = [name](std::string_view value, Case& c) {
    c.recipe.layout = LayoutSpec{name};
    if (value.empty()) return true;
    const auto stripe = whole_number(value);
    c.recipe.layout.stripe = stripe.value_or(0);
    return c.recipe.layout.stripe >= 1;
  };
  word.print = [name](const Case& c) {
    if (c.recipe.layout.name != name) return std::string();
    return c.recipe.layout.stripe == 1 ? name : name + "=" + std::to_string(c.recipe.layout.stripe);
  };
  if (kind.takes_stripe) word.numbers = "a whole number from 1 on";
  return word;
}

bool read_custom(std::string_view value, Case& c) {
  const Halves halves = split_at(value, '#');
  c.recipe.layout = LayoutSpec{"custom", 1, std::string(halves.before), std::string(halves.behind.value_or(""))};
  return !halves.before.empty() && halves.behind != "";
}

std::string print_custom(const Case& c) {
  const LayoutSpec& layout = c.recipe.layout;
  if (layout.file.empty()) return {};
  return "custom=" + layout.file + (layout.hash.empty() ? "" : "#" + layout.hash);
}

WordKind schedule_word(const ScheduleKind& kind) {
  const std::string name(kind.name);
  return {Topic::schedule,
          name,
          Takes::nothing,
          name,
          std::string(kind.sentence),
          [name](std::string_view, Case& c) {
            c.recipe.schedule = name;
            return true;
          },
          [name](const Case& c) { return c.recipe.schedule == name ? name : std::string(); }};
}

bool read_ranks(std::string_view value, Case& c) {
  const Halves halves = split_at(value, 'x');
  const auto outer = halves.behind ? whole_number(halves.before) : 1;
  const auto inner = whole_number(halves.behind.value_or(halves.before));
  if (!outer || !inner || *outer < 1 || *inner < 1 || *outer > most_ranks || *inner > most_ranks / *outer) return false;
  c.recipe.ranks = {static_cast<int>(*outer), static_cast<int>(*inner), halves.behind.has_value()};
  return true;
}

std::string print_ranks(const Case& c) {
  const Ranks& r = c.recipe.ranks;
  return r.is_grid ? "r" + std::to_string(r.outer) + "x" + std::to_string(r.inner) : "r" + std::to_string(r.inner);
}

bool read_style(std::string_view value, Case& c) {
  for (const BackwardStyle style : {BackwardStyle::home, BackwardStyle::reversed, BackwardStyle::qside}) {
    if (name_of(style) != value) continue;
    c.recipe.backward = style;
    return true;
  }
  return false;
}

std::string print_style(const Case& c) {
  return c.recipe.backward ? "backward=" + std::string(name_of(*c.recipe.backward)) : std::string();
}

bool read_order(std::string_view value, Case& c) {
  c.recipe.order = value == "snake" ? RingOrder::snake : RingOrder::natural;
  return value == "snake" || value == "natural";
}

WordKind switch_word(const char* name, const char* sentence, bool Recipe::*field) {
  return {Topic::option,
          name,
          Takes::nothing,
          name,
          sentence,
          [field](std::string_view, Case& c) { return c.recipe.*field = true; },
          [field, name](const Case& c) { return std::string(c.recipe.*field ? name : ""); }};
}

}  // namespace

Direction default_direction(const Recipe& recipe) {
  const ScheduleKind* kind = kind_named(recipe.schedule);
  return kind != nullptr && kind->styles.empty() ? Direction::forward : Direction::forward_and_backward;
}

std::vector<WordKind> recipe_words() {
  std::vector<WordKind> words;
  for (const LayoutKind& kind : layout_kinds()) words.push_back(layout_word(kind));
  words.push_back({Topic::layout, "custom", Takes::value, "custom=FILE",
                   "ranges of positions per rank, read from a file (docs/schedules.md); #hash is checked if given",
                   read_custom, print_custom});
  for (const ScheduleKind& kind : schedule_kinds()) words.push_back(schedule_word(kind));
  words.push_back({Topic::ranks, "r", Takes::number_behind, "r8", "ranks; r2x4 is 2 groups (outer) of 4 (inner)",
                   read_ranks, print_ranks, whole_from(1, most_ranks) + ", also as a product"});
  words.push_back({Topic::option, "backward", Takes::value, "backward=home",
                   "what travels in the backward: home or reversed (KV and dKV), qside (Q, dO, Stats and dQ)",
                   read_style, print_style});
  words.push_back(switch_word("prune", "a KV block stops at the last rank that needs it", &Recipe::prune));
  words.push_back(
      switch_word("kv-copies", "KV heads may go to several members of an Ulysses group", &Recipe::kv_copies));
  words.push_back({Topic::option, "order", Takes::value, "order=snake",
                   "the ring's order over the ranks: natural or snake", read_order,
                   [](const Case& c) { return std::string(c.recipe.order == RingOrder::snake ? "order=snake" : ""); }});
  return words;
}

}  // namespace ringscope
