#include "tests/pictures/picture_checks.h"

#include <vector>

#include "core/recipe.h"
#include "pictures/frame.h"
#include "pictures/svg.h"
#include "pictures/terminal.h"
#include "tests/pictures/xml_check.h"

namespace ringscope {

namespace {

struct Frame {
  double left, top, right, bottom;
};

bool holds(const Picture& p, const Frame& f) {
  constexpr double slack = 0.5;
  return f.left >= -slack && f.top >= -slack && f.right <= p.width + slack && f.bottom <= p.height + slack;
}

Frame frame_of(const Text& t) {
  const double width = width_of(t.words, t.size);
  const double left = t.align == Align::left ? t.x : t.align == Align::right ? t.x - width : t.x - width / 2;
  return {left, t.y - t.size, left + width, t.y + t.size * 0.3};
}

std::vector<Mask> masks_for(std::int64_t len) {
  return {{},
          {.causal = true},
          {.window = Window{3, 1}, .sinks = 2},
          {.causal = true, .docs = {0, len / 3, len}},
          {.kv_lens = {len / 2, len}}};
}

Problem problem_of(std::int64_t len, const Mask& mask) {
  Problem p;
  p.batch = 2;
  p.heads_q = 6;
  p.heads_kv = 2;
  p.len_q = p.len_kv = len;
  p.mask = mask;
  return p;
}

// Ranks as the kind wants them; -1 outer: this many cannot be.
std::optional<Ranks> ranks_for(const ScheduleKind& kind, int n) {
  if (!kind.needs_grid) return Ranks{1, n, false};
  if (n % 2 != 0) return std::nullopt;
  return Ranks{n / 2, 2, true};
}

}  // namespace

std::optional<std::string> picture_fault(const Picture& p) {
  for (const Box& b : p.boxes) {
    if (!holds(p, {b.x, b.y, b.x + b.width, b.y + b.height})) return "a box outside: " + b.label + " " + b.tooltip;
    if (b.width < 0 || b.height < 0) return "a box turned inside out: " + b.label + " " + b.tooltip;
  }
  for (const Text& t : p.texts) {
    if (!holds(p, frame_of(t))) return "words outside: " + t.words;
  }
  for (const Line& l : p.lines) {
    if (!holds(p, {l.x0, l.y0, l.x1, l.y1})) return "a line outside";
  }
  for (const Arrow& a : p.arrows) {
    if (!holds(p, {a.x0, a.y0, a.x0, a.y0}) || !holds(p, {a.x1, a.y1, a.x1, a.y1})) return "an arrow outside";
  }
  if (p.title.empty() || p.summary.empty()) return "no title or no summary";
  return xml_fault(to_svg(p));
}

std::optional<std::string> sheet_fault(const Sheet& sheet) {
  for (const SheetLine& line : sheet.lines) {
    if (columns_of(line) > sheet_columns)
      return std::to_string(columns_of(line)) + " columns: " + to_text({{line}}, Colour::none);
  }
  return std::nullopt;
}

void for_each_plan(const std::function<void(const Plan& plan, const std::string& name)>& check) {
  std::size_t turn = 0;
  for (const int n : {1, 2, 3, 5, 8, 64}) {
    const std::vector<std::int64_t> lengths =
        n == 64 ? std::vector<std::int64_t>{150} : std::vector<std::int64_t>{1, 2 * n + 1, 16 * n};
    for (const std::int64_t len : lengths) {
      for (const ScheduleKind& kind : schedule_kinds()) {
        const std::optional<Ranks> ranks = ranks_for(kind, n);
        for (const LayoutKind& layout : layout_kinds()) {
          const std::vector<Mask> masks = masks_for(len);
          Problem problem = problem_of(len, masks[turn++ % masks.size()]);
          if (kind.styles.empty()) problem.direction = Direction::forward;
          if (!problem.mask.docs.empty() && len < 3) problem.mask.docs.clear();
          Recipe recipe;
          recipe.layout.name = std::string(layout.name);
          recipe.schedule = std::string(kind.name);
          recipe.kv_copies = kind.can_copy_kv;
          if (!ranks) continue;
          const bool every_pair = len == 2 * n + 1;  // of schedule and layout; elsewhere some
          if (!every_pair && turn % 5 != 0) continue;
          recipe.ranks = *ranks;
          if (kind.refuse != nullptr && kind.refuse(problem, recipe)) continue;
          check(make_plan(problem, recipe), std::string(layout.name) + " " + recipe.schedule + " r" +
                                                std::to_string(n) + " s" + std::to_string(len));
        }
      }
    }
  }
}

}  // namespace ringscope
