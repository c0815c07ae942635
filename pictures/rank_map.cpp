#include "pictures/rank_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_columns = 120;

bool is_wrong(const RankCell& cell) {
  return !(cell.ratio <= 1);
}
bool is_nothing(const RankCell& cell) {
  return cell.ratio < 0;
}

// 0 (none) to 1 (just allowed), by decades, as in an error map.
double strength(double ratio) {
  constexpr double decades = 3;
  return ratio > 0 ? std::clamp(1 + std::log10(ratio) / decades, 0.05, 1.0) : 0;
}

std::string in_words(const RankCell& cell) {
  if (!cell.words.empty()) return cell.words;
  if (is_nothing(cell)) return "nothing there";
  if (!std::isfinite(cell.ratio)) return "not finite where it should be";
  if (cell.ratio == 0) return "exact";
  if (cell.ratio <= 1) return fixed(cell.ratio, 3) + " of what is allowed";
  return (cell.ratio < 1000 ? fixed(cell.ratio, 1) : scientific(cell.ratio)) + " times what is allowed";
}

const RankCell& cell_at(const RankMap& map, std::int64_t rank, std::int64_t column) {
  return map.cells[static_cast<std::size_t>(rank * map.columns + column)];
}

bool is_worse(const RankCell& a, const RankCell& b) {
  return std::isnan(a.ratio) ? !std::isnan(b.ratio) : a.ratio > b.ratio;
}

// Neighbouring columns together, each the worst of its cells.
RankMap pooled(const RankMap& map, std::int64_t by) {
  if (by == 1) return map;
  RankMap out{map.name, map.columns_are, map.ranks, (map.columns + by - 1) / by, {}, map.remarks};
  out.cells.resize(map.ranks.size() * static_cast<std::size_t>(out.columns));
  for (std::size_t n = 0; n < map.cells.size(); ++n) {
    const auto rank = static_cast<std::int64_t>(n) / map.columns, column = static_cast<std::int64_t>(n) % map.columns;
    RankCell& cell = out.cells[static_cast<std::size_t>(rank * out.columns + column / by)];
    if (is_worse(map.cells[n], cell)) cell.ratio = map.cells[n].ratio;
  }
  return out;
}

std::int64_t columns_together(const RankMap& map, std::int64_t most) {
  return std::max<std::int64_t>(1, (map.columns + most - 1) / most);
}

std::string columns_in_words(const RankMap& map, std::int64_t column, std::int64_t by) {
  const std::int64_t first = column * by, last = std::min(map.columns, first + by) - 1;
  return map.columns_are + " " + std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

}  // namespace

std::string sentence_of(const RankMap& map) {
  bool any = false;
  for (std::int64_t c = 0; c < map.columns; ++c) {
    for (std::size_t r = 0; r < map.ranks.size(); ++r) {
      const RankCell& cell = cell_at(map, static_cast<std::int64_t>(r), c);
      any = any || !is_nothing(cell);
      if (!is_nothing(cell) && is_wrong(cell)) {
        return map.name + ": first wrong at " + map.ranks[r] + ", " + map.columns_are + " " + std::to_string(c) + ": " +
               in_words(cell);
      }
    }
  }
  return map.name + (any ? ": nothing beyond what is allowed" : ": nothing to compare");
}

Picture draw(const std::vector<RankMap>& maps, std::string title, std::string summary) {
  constexpr double heading = 80, width = 600, row_height = 20, between = 58, remark = 120;
  double height = 24;
  for (const RankMap& map : maps) {
    height +=
        between + row_height * static_cast<double>(shown(static_cast<int>(map.ranks.size()), most_ranks_shown).size());
  }
  Picture p = framed(std::move(title), std::move(summary), heading + width + remark, height);
  double y = frame_top;
  for (const RankMap& map : maps) {
    const std::int64_t by = columns_together(map, most_columns);
    const RankMap cells = pooled(map, by);
    p.texts.push_back({frame_margin, y + 14, sentence_of(map), Align::left, Ink::text, 13});
    y += 22;
    const double cell = std::min(56.0, width / static_cast<double>(std::max<std::int64_t>(1, cells.columns)));
    p.texts.push_back({frame_margin + heading - 8, y + 10, map.columns_are, Align::right, Ink::faint, 11});
    const std::int64_t every = cell >= 18 ? 1 : 10;
    for (std::int64_t c = 0; c < cells.columns; c += every) {
      p.texts.push_back({frame_margin + heading + (static_cast<double>(c) + 0.5) * cell, y + 10, std::to_string(c * by),
                         Align::centre, Ink::faint, 10});
    }
    y += 14;
    for (const int r : shown(static_cast<int>(map.ranks.size()), most_ranks_shown)) {
      p.texts.push_back({frame_margin + heading - 8, y + 14, r < 0 ? "…" : map.ranks[static_cast<std::size_t>(r)],
                         Align::right, Ink::faint, 11});
      for (std::int64_t c = 0; r >= 0 && c < cells.columns; ++c) {
        const RankCell& here = cell_at(cells, r, c);
        const bool wrong = is_wrong(here), nothing = is_nothing(here);
        p.boxes.push_back({.x = frame_margin + heading + static_cast<double>(c) * cell,
                           .y = y + 1,
                           .width = cell - (cell > 4 ? 1 : 0),
                           .height = row_height - 2,
                           .ink = nothing ? Ink::faint
                                  : wrong ? Ink::bad
                                          : Ink::accent,
                           .pattern = nothing ? Pattern::outlined
                                      : wrong ? Pattern::hatched
                                              : Pattern::solid,
                           .weight = wrong ? 1 : 0.06 + 0.9 * strength(here.ratio),
                           .label = here.label,
                           .tooltip = map.name + ", " + map.ranks[static_cast<std::size_t>(r)] + ", " +
                                      columns_in_words(map, c, by) + ": " + in_words(here)});
      }
      if (r >= 0 && !map.remarks.empty()) {
        p.texts.push_back({frame_margin + heading + static_cast<double>(cells.columns) * cell + 8, y + 14,
                           map.remarks[static_cast<std::size_t>(r)], Align::left, Ink::faint, 11});
      }
      y += row_height;
    }
    y += between - 36;
  }
  add_legend(p, frame_margin, y + 4,
             {{{.ink = Ink::accent, .weight = 0.06}, "exact"},
              {{.ink = Ink::accent, .weight = 0.96}, "just allowed"},
              {{.ink = Ink::bad, .pattern = Pattern::hatched}, "wrong"},
              {{.ink = Ink::faint, .pattern = Pattern::outlined}, "nothing to tell"}});
  widen_to_words(p);
  return p;
}

Sheet write(const std::vector<RankMap>& maps) {
  constexpr int heading = 10, columns = sheet_columns - heading;
  constexpr std::array<std::string_view, 5> shades{"·", "░", "▒", "▓", "█"};
  Sheet sheet;
  for (const RankMap& map : maps) {
    const RankMap cells = pooled(map, columns_together(map, columns));
    sheet.say(sentence_of(map), Ink::accent);
    for (const int r : shown(static_cast<int>(map.ranks.size()), most_ranks_shown)) {
      const std::string name = r < 0 ? "…" : map.ranks[static_cast<std::size_t>(r)];
      SheetLine line{{fit(name, heading - 1, Align::right) + " ", Ink::faint}};
      for (std::int64_t c = 0; r >= 0 && c < cells.columns; ++c) {
        const RankCell& here = cell_at(cells, r, c);
        const auto shade = static_cast<std::size_t>(std::lround(4 * strength(here.ratio)));
        line.push_back(is_nothing(here) ? Span{" ", Ink::faint}
                       : is_wrong(here) ? Span{"!", Ink::bad}
                                        : Span{std::string(shades[shade]), Ink::accent});
      }
      sheet.add(std::move(line));
    }
  }
  sheet.say("ranks down, " + (maps.empty() ? std::string("steps") : maps.front().columns_are + "s") +
                " across; · far below what is allowed ... █ just allowed, ! wrong",
            Ink::faint);
  return sheet;
}

}  // namespace ringscope
