#include "core/case_grid.h"

#include <algorithm>
#include <array>

#include "core/case_words.h"
#include "core/error.h"
#include "core/fill.h"
#include "core/pair_count.h"

namespace ringscope {

namespace {

Level level(std::string label, std::function<void(Case&)> set) {
  return {std::move(label), std::move(set)};
}

Level nothing(std::string label) {
  return level(std::move(label), [](Case&) {});
}

std::vector<Level> schedules() {
  std::vector<Level> levels;
  for (const ScheduleKind& kind : schedule_kinds()) {
    levels.push_back(level(std::string(kind.name), [name = std::string(kind.name)](Case& c) {
      c.recipe.schedule = name;
      c.problem.direction = default_direction(c.recipe);
    }));
  }
  return levels;
}

std::vector<Level> rank_counts() {
  std::vector<Level> levels;
  for (const int n : {4, 1, 2, 3, 5, 8}) {
    levels.push_back(level("N=" + std::to_string(n), [n](Case& c) { c.recipe.ranks = {1, n, false}; }));
  }
  return levels;
}

bool needs_grid(const Case& c) {
  const auto kinds = schedule_kinds();
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](const ScheduleKind& k) { return k.name == c.recipe.schedule && k.needs_grid; });
}

void set_grid(Case& c, int outer) {
  const int n = c.recipe.ranks.count();
  c.recipe.ranks = {outer, n / outer, true};
}

// The largest divisor of n that is at most the square root.
int lesser_side(int n) {
  int side = 1;
  for (int d = 1; d * d <= n; ++d) side = n % d == 0 ? d : side;
  return side;
}

std::vector<Level> splits() {
  return {level("tall",
                [](Case& c) {
                  if (needs_grid(c)) set_grid(c, c.recipe.ranks.count() / lesser_side(c.recipe.ranks.count()));
                }),
          level("wide", [](Case& c) { set_grid(c, lesser_side(c.recipe.ranks.count())); }),
          level("one node",
                [](Case& c) {
                  if (needs_grid(c)) set_grid(c, 1);
                }),
          level("nodes of one", [](Case& c) {
            if (needs_grid(c)) set_grid(c, c.recipe.ranks.count());
          })};
}

std::vector<Level> layouts() {
  std::vector<Level> levels;
  for (const LayoutKind& kind : layout_kinds()) {
    const std::string name(kind.name);
    levels.push_back(level(name, [name](Case& c) { c.recipe.layout = LayoutSpec{name}; }));
    if (!kind.takes_stripe) continue;
    for (const int k : {3, 8}) {
      levels.push_back(level(name + "=" + std::to_string(k), [name, k](Case& c) { c.recipe.layout = {name, k}; }));
    }
  }
  return levels;
}

using Pair = std::array<std::int64_t, 2>;

// Two sizes of a problem that belong together: s40x40, h6/2.
std::vector<Level> size_pairs(const char* letter, const char* between, std::span<const Pair> pairs,
                              std::int64_t Problem::*first, std::int64_t Problem::*second) {
  std::vector<Level> levels;
  for (const auto& [a, b] : pairs) {
    levels.push_back(level(letter + std::to_string(a) + between + std::to_string(b), [=](Case& c) {
      c.problem.*first = a;
      c.problem.*second = b;
    }));
  }
  return levels;
}

std::vector<Level> lengths() {
  constexpr std::array<Pair, 14> pairs{{{40, 40},
                                        {37, 37},
                                        {61, 61},
                                        {64, 64},
                                        {48, 48},
                                        {16, 16},
                                        {5, 5},
                                        {23, 23},
                                        {13, 47},
                                        {50, 21},
                                        {1, 64},
                                        {3, 57},
                                        {6, 80},
                                        {31, 96}}};
  return size_pairs("s", "x", pairs, &Problem::len_q, &Problem::len_kv);
}

std::vector<Level> heads() {
  constexpr std::array<Pair, 9> pairs{{{8, 8}, {6, 2}, {4, 1}, {4, 4}, {8, 2}, {2, 2}, {1, 1}, {5, 5}, {9, 3}}};
  return size_pairs("h", "/", pairs, &Problem::heads_q, &Problem::heads_kv);
}

std::vector<Level> dims() {
  constexpr std::array<Pair, 8> pairs{{{16, 16}, {8, 8}, {10, 7}, {12, 20}, {32, 32}, {5, 3}, {18, 1}, {1, 4}}};
  return size_pairs("d", "/", pairs, &Problem::dim_qk, &Problem::dim_v);
}

std::vector<Level> batches() {
  std::vector<Level> levels;
  for (const int b : {1, 2, 3}) {
    levels.push_back(level("b" + std::to_string(b), [b](Case& c) { c.problem.batch = b; }));
  }
  return levels;
}

std::vector<Level> types() {
  std::vector<Level> levels;
  for (const auto type : {ElementType::f32, ElementType::f64, ElementType::bf16, ElementType::f16, ElementType::e4m3}) {
    levels.push_back(level(std::string(name_of(type)), [type](Case& c) { c.problem.type = type; }));
  }
  return levels;
}

std::vector<Level> real_levels(const char* name, std::vector<double> values, double ScoreTerms::*field) {
  std::vector<Level> levels{nothing(std::string("no ") + name)};
  for (const double value : values) {
    levels.push_back(level(name, [field, value](Case& c) { c.problem.terms.*field = value; }));
  }
  return levels;
}

std::vector<Level> switch_levels(const char* name, bool ScoreTerms::*field) {
  return {nothing(std::string("no ") + name), level(name, [field](Case& c) { c.problem.terms.*field = true; })};
}

std::vector<Level> scales() {
  std::vector<Level> levels{nothing("own scale")};
  for (const double scale : {0.3, 0.25}) {  // a power of two for the fills that need one
    levels.push_back(level("scale", [scale](Case& c) { c.problem.terms.scale = scale; }));
  }
  return levels;
}

std::vector<Level> directions() {
  return {nothing("usual direction"), level("fwd", [](Case& c) { c.problem.direction = Direction::forward; })};
}

std::vector<Level> styles() {
  std::vector<Level> levels{nothing("usual style")};
  for (const auto style : {BackwardStyle::home, BackwardStyle::reversed, BackwardStyle::qside}) {
    levels.push_back(level("backward=" + std::string(name_of(style)), [style](Case& c) { c.recipe.backward = style; }));
  }
  return levels;
}

std::vector<Level> recipe_switch(const char* name, bool Recipe::*field) {
  return {nothing(std::string("no ") + name), level(name, [field](Case& c) { c.recipe.*field = true; })};
}

std::vector<Level> orders() {
  return {nothing("natural"), level("snake", [](Case& c) { c.recipe.order = RingOrder::snake; })};
}

std::vector<Level> backends() {
  std::vector<Level> levels;
  for (const char* name : {"cpu:eigen", "cpu:naive", "cpu:bitwise", "cpu"}) {
    levels.push_back(level(name, [name](Case& c) { c.backend.name = name; }));
  }
  return levels;
}

std::vector<Level> counts(const char* name, std::vector<int> values, int BackendChoice::*field) {
  std::vector<Level> levels{nothing(std::string("own ") + name)};
  for (const int value : values) {
    levels.push_back(level(name, [field, value](Case& c) { c.backend.*field = value; }));
  }
  return levels;
}

std::vector<Level> fill_levels() {
  std::vector<Level> levels;
  for (const FillInfo& info : fills()) {
    levels.push_back(level(std::string(info.name), [fill = info.fill](Case& c) { c.fill = fill; }));
  }
  return levels;
}

std::vector<Factor> make_factors() {
  return {{"batch", batches()},
          {"heads", heads()},
          {"lengths", lengths()},
          {"dims", dims()},
          {"type", types()},
          {"schedule", schedules()},
          {"ranks", rank_counts()},
          {"split", splits()},
          {"layout", layouts()},
          {"mask", mask_levels()},
          {"scale", scales(), true},
          {"softcap", real_levels("softcap", {20}, &ScoreTerms::softcap), true},
          {"alibi", switch_levels("alibi", &ScoreTerms::alibi), true},
          {"rope", real_levels("rope", {10000}, &ScoreTerms::rope_base), true},
          {"sink-logit", switch_levels("sink-logit", &ScoreTerms::sink_logit), true},
          {"dropout", real_levels("dropout", {0.1, 0.5}, &ScoreTerms::dropout), true},
          {"direction", directions(), true},
          {"style", styles()},
          {"prune", recipe_switch("prune", &Recipe::prune)},
          {"kv-copies", recipe_switch("kv-copies", &Recipe::kv_copies)},
          {"order", orders(), true},
          {"backend", backends()},
          {"threads", counts("threads", {1, 2}, &BackendChoice::threads), true},
          {"tile", counts("tile", {16, 5}, &BackendChoice::tile)},
          {"fill", fill_levels()}};
}

// A problem where every row sees at most one key has constant or empty outputs: no verdict on it can be trusted.
bool is_worth_a_verdict(const Problem& problem) {
  return total_pairs(problem) >= problem.batch * std::max<std::int64_t>(2, problem.len_q);
}

}  // namespace

std::span<const Factor> case_factors() {
  static const std::vector<Factor> factors = make_factors();
  return factors;
}

int factor_named(std::string_view name) {
  const auto factors = case_factors();
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (factors[f].name == name) return static_cast<int>(f);
  }
  ensure(false, "a known factor");
  return -1;
}

Case case_of(const Row& row) {
  Case c;
  const auto factors = case_factors();
  for (std::size_t f = 0; f < factors.size(); ++f) factors[f].levels[static_cast<std::size_t>(row[f])].set(c);
  return canonical(c);
}

std::vector<int> yielding_order() {
  std::vector<int> order;
  for (const char* name :
       {"dropout",   "sink-logit", "rope",    "alibi",     "softcap", "scale", "order",   "prune",   "style",
        "kv-copies", "tile",       "threads", "direction", "batch",   "heads", "dims",    "lengths", "split",
        "fill",      "type",       "layout",  "backend",   "mask",    "ranks", "schedule"}) {
    order.push_back(factor_named(name));
  }
  return order;
}

std::int64_t dense_pairs(const Problem& p) {
  return p.batch * p.heads_q * p.len_q * p.len_kv;
}

bool can_be(const Case& c, const SizeLimits& limits) {
  if (dense_pairs(c.problem) > limits.most_pairs) return false;
  try {
    validate(c);
  } catch (const Error&) {
    return false;
  }
  return is_worth_a_verdict(c.problem);
}

}  // namespace ringscope
