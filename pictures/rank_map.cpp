#include "pictures/rank_map.h"

#include <algorithm>
#include <cmath>

#include "pictures/frame.h"
#include "pictures/ratio_shade.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_columns = 120;

std::string in_words(const RankCell& cell) {
  return cell.words.empty() ? ratio_in_words(cell.ratio) : cell.words;
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
      any = any || !(cell.ratio < 0);
      if (is_wrong_ratio(cell.ratio)) {
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
        Box box = ratio_box(here.ratio);
        box.x = frame_margin + heading + static_cast<double>(c) * cell;
        box.y = y + 1;
        box.width = cell - (cell > 4 ? 1 : 0);
        box.height = row_height - 2;
        box.label = here.label;
        box.tooltip = map.name + ", " + map.ranks[static_cast<std::size_t>(r)] + ", " + columns_in_words(map, c, by) +
                      ": " + in_words(here);
        p.boxes.push_back(std::move(box));
      }
      if (r >= 0 && !map.remarks.empty()) {
        p.texts.push_back({frame_margin + heading + static_cast<double>(cells.columns) * cell + 8, y + 14,
                           map.remarks[static_cast<std::size_t>(r)], Align::left, Ink::faint, 11});
      }
      y += row_height;
    }
    y += between - 36;
  }
  std::vector<LegendEntry> legend = ratio_legend();
  legend.push_back({ratio_box(-1), "nothing to tell"});
  add_legend(p, frame_margin, y + 4, legend);
  widen_to_words(p);
  return p;
}

Sheet write(const std::vector<RankMap>& maps) {
  constexpr int heading = 10, columns = sheet_columns - heading;
  Sheet sheet;
  for (const RankMap& map : maps) {
    const RankMap cells = pooled(map, columns_together(map, columns));
    sheet.say(sentence_of(map), Ink::accent);
    for (const int r : shown(static_cast<int>(map.ranks.size()), most_ranks_shown)) {
      const std::string name = r < 0 ? "…" : map.ranks[static_cast<std::size_t>(r)];
      SheetLine line{{fit(name, heading - 1, Align::right) + " ", Ink::faint}};
      for (std::int64_t c = 0; r >= 0 && c < cells.columns; ++c) {
        line.push_back(ratio_span(cell_at(cells, r, c).ratio));
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
