#include <algorithm>
#include <map>

#include "core/index.h"
#include "pictures/mask_map.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

// With room: "▨2 136", the glyph, the step and the pairs; with less: "▨2"; with least: "▨".
struct CellStyle {
  int width = 1, step = 0, pairs = 0;
};

CellStyle cell_style(const MaskMap& map, int room) {
  int step = 1, pairs = 1;
  for (const MaskTile& tile : map.tiles) {
    step = std::max(step, columns_of(std::to_string(tile.step)));
    pairs = std::max(pairs, columns_of(std::to_string(tile.pairs)));
  }
  const int columns = static_cast<int>(std::max<std::int64_t>(1, map.columns()));
  if (columns * (step + pairs + 4) <= room) return {step + pairs + 4, step, pairs};
  if (columns * (step + 2) <= room) return {step + 2, step, 0};
  return {};
}

std::string cell_of(const MaskTile& tile, const CellStyle& style) {
  std::string out(glyph_of(tile.kind()));
  if (tile.kind() == Tile::empty) return fit(out, style.width);
  if (style.step > 0) out += fit(tile.step < 0 ? "" : std::to_string(tile.step), style.step);
  if (style.pairs > 0) out += " " + std::to_string(tile.pairs);
  return fit(out, style.width);
}

// Where each column begins, as often as there is room.
SheetLine column_names(const MaskMap& map, const CellStyle& style, int heading) {
  SheetLine line{{repeated(" ", heading)}};
  for (std::int64_t c = 0; c < map.columns(); ++c) {
    const std::string first = map.column_names[at(c)].substr(0, map.column_names[at(c)].find('-'));
    const int begin = heading + static_cast<int>(c) * style.width, have = columns_of(line);
    const bool fits = have <= begin && begin + columns_of(first) <= sheet_columns;
    if (fits) line.push_back({repeated(" ", begin - have) + first + " ", Ink::rank, map.column_ranks[at(c)]});
  }
  if (columns_of(line) > sheet_columns) line.back().words.pop_back();
  return line;
}

void write_rank_totals(const MaskMap& map, Sheet& sheet) {
  std::map<int, std::int64_t> totals;
  for (const MaskTile& tile : map.tiles) totals[tile.rank] += tile.pairs;
  std::string words;
  for (const auto& [rank, pairs] : totals) {
    if (rank < 0 && pairs == 0) continue;
    words += (words.empty() ? "" : "  ") + (rank < 0 ? std::string("several ranks") : rank_name(rank)) + " " +
             grouped(pairs);
  }
  sheet.say("by rank: " + words, Ink::text, 9);
}

}  // namespace

Sheet write(const MaskMap& map) {
  constexpr int heading = 14;
  const CellStyle style = cell_style(map, sheet_columns - heading);
  Sheet sheet;
  sheet.add({{"queries down, keys across; in the order of " +
                  std::string(map.order == MaskMap::Order::positions ? "positions" : "blocks"),
              Ink::accent}});
  sheet.add(column_names(map, style, heading));
  for (std::int64_t r = 0; r < map.rows(); ++r) {
    SheetLine line{{fit(map.row_names[at(r)], heading - 1, Align::right) + " ", Ink::rank, map.row_ranks[at(r)]}};
    for (std::int64_t c = 0; c < map.columns(); ++c) {
      const MaskTile& tile = map.tile(r, c);
      const bool plain = tile.kind() == Tile::empty || tile.rank < 0;
      const std::string cell = map.stands_out(tile) ? cell_of(tile, style) : fit("", style.width);
      line.push_back({cell, plain ? Ink::faint : Ink::rank, tile.rank});
    }
    sheet.add(std::move(line));
  }
  sheet.say(std::string("■ full  ▨ partial  · empty (skipped)") + (style.step > 0 ? "; the digit is the step" : "") +
                (style.pairs > 0 ? ", then the pairs" : "") + "; a colour is the rank that computes it",
            Ink::faint);
  write_rank_totals(map, sheet);
  sheet.say(total_sentence(map));
  return sheet;
}

}  // namespace ringscope
