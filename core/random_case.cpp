// Cases at random: numbers are drawn, not chosen from a few, so that odd sizes meet odd sizes.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/case_grid.h"
#include "core/draws.h"
#include "core/suites.h"

namespace ringscope {

namespace {

// Mostly a size at which blocks differ; short ones leave ranks without rows.
std::int64_t draw_length(Draws& draws) {
  if (draws.one_in(5)) return draws.between(1, 12);
  return draws.between(1, draws.one_in(8) ? 240 : 90);
}

std::int64_t draw_dim(Draws& draws) {
  return draws.between(1, draws.one_in(12) ? 136 : 40);
}

void draw_shape(Draws& draws, Problem& p) {
  p.batch = draws.between(1, 3);
  p.heads_kv = draws.between(1, 4);
  p.heads_q = p.heads_kv * draws.between(1, 4);
  p.len_kv = draw_length(draws);
  p.len_q = draws.one_in(3) ? draw_length(draws) : p.len_kv;
  p.dim_qk = draw_dim(draws);
  p.dim_v = draws.one_in(2) ? draw_dim(draws) : p.dim_qk;
}

std::vector<std::int64_t> draw_documents(Draws& draws, std::int64_t len) {
  std::vector<std::int64_t> ends;
  for (std::int64_t n = draws.between(2, 6); n > 0; --n) ends.push_back(draws.between(0, len));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends.size() < 2 ? std::vector<std::int64_t>{0, len} : ends;
}

void draw_mask(Draws& draws, Problem& p) {
  Mask& mask = p.mask;
  mask.causal = draws.one_in(2);
  if (draws.one_in(8)) mask.prefix = draws.between(0, p.len_kv);
  if (draws.one_in(4)) mask.window = Window{draws.between(-1, p.len_kv), draws.between(-1, p.len_kv)};
  if (draws.one_in(5)) mask.docs = draw_documents(draws, p.len_kv);
  if (draws.one_in(8)) mask.chunk = draws.between(1, p.len_kv);
  if (draws.one_in(mask.window ? 2 : 16)) mask.sinks = draws.between(1, 12);
  if (draws.one_in(6)) mask.offset = draws.between(-p.len_q, p.len_kv + 8);
  if (!draws.one_in(6)) return;
  for (std::int64_t b = 0; b < p.batch; ++b) mask.kv_lens.push_back(draws.between(0, p.len_kv));
}

// Powers of two for the fills that need one; below 0 the least like keys win.
double draw_scale(Draws& draws) {
  if (draws.one_in(2)) return std::ldexp(1.0, static_cast<int>(draws.between(-5, 1)));
  return static_cast<double>(draws.between(-16, 64)) / 64;
}

void draw_terms(Draws& draws, ScoreTerms& terms) {
  if (draws.one_in(3)) terms.scale = draw_scale(draws);
  if (draws.one_in(8)) terms.softcap = static_cast<double>(draws.between(1, 60));
  terms.alibi = draws.one_in(8);
  if (draws.one_in(8)) terms.rope_base = static_cast<double>(draws.between(2, 20000));
  terms.sink_logit = draws.one_in(8);
  if (draws.one_in(8)) terms.dropout = static_cast<double>(draws.between(1, 7)) / 8;
}

void draw_recipe(Draws& draws, Case& c) {
  const auto layouts = layout_kinds();
  const LayoutKind& layout = layouts[static_cast<std::size_t>(draws.below(std::ssize(layouts)))];
  c.recipe.layout = LayoutSpec{std::string(layout.name)};
  if (layout.takes_stripe) c.recipe.layout.stripe = draws.between(1, 12);
  const auto kinds = schedule_kinds();
  const ScheduleKind& kind = kinds[static_cast<std::size_t>(draws.below(std::ssize(kinds)))];
  c.recipe.schedule = kind.name;
  const bool is_grid = kind.needs_grid || draws.one_in(6);
  c.recipe.ranks = {is_grid ? static_cast<int>(draws.between(1, 3)) : 1,
                    static_cast<int>(draws.between(1, is_grid           ? 3
                                                      : draws.one_in(8) ? 17
                                                                        : 9)),
                    is_grid};
  c.problem.direction = kind.styles.empty() || draws.one_in(4) ? Direction::forward : Direction::forward_and_backward;
  if (c.problem.has_backward() && draws.one_in(2)) {
    c.recipe.backward = kind.styles[static_cast<std::size_t>(draws.below(std::ssize(kind.styles)))];
  }
  c.recipe.prune = kind.can_prune && draws.one_in(3);
  c.recipe.kv_copies = kind.can_copy_kv && draws.one_in(2);
  if (kind.can_order && draws.one_in(4)) c.recipe.order = RingOrder::snake;
}

Case draw_case(Draws& draws) {
  Case c;
  draw_shape(draws, c.problem);
  c.problem.type = static_cast<ElementType>(draws.between(0, 4));
  draw_mask(draws, c.problem);
  draw_terms(draws, c.problem.terms);
  draw_recipe(draws, c);
  constexpr std::string_view backends[] = {"cpu", "cpu:naive", "cpu:bitwise", "cpu:eigen"};
  c.backend.name = backends[draws.below(4)];
  if (draws.one_in(4)) c.backend.threads = static_cast<int>(draws.between(1, 3));
  if (draws.one_in(4)) c.backend.tile = static_cast<int>(draws.between(1, 64));
  c.fill = fills()[static_cast<std::size_t>(draws.below(std::ssize(fills())))].fill;
  c.seed = static_cast<std::uint64_t>(draws.below(1 << 30));
  return canonical(c);
}

}  // namespace

std::vector<Case> random_cases(std::int64_t count, std::uint64_t seed, const TellDone& tell) {
  std::vector<Case> cases;
  Draws draws(seed, 1);
  while (std::ssize(cases) < count) {
    const Case c = draw_case(draws);
    if (!can_be(c, SizeLimits{})) continue;
    cases.push_back(c);
    tell_done(tell, static_cast<double>(cases.size()) / static_cast<double>(count));
  }
  return cases;
}

}  // namespace ringscope
