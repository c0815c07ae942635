#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/mask_map.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

std::string tooltip_of(const MaskMap& map, std::int64_t row, std::int64_t column) {
  const MaskTile& tile = map.tile(row, column);
  std::string out = "queries " + map.row_names[at(row)] + ", keys " + map.column_names[at(column)] + ": " +
                    std::string(name_of(tile.kind())) + ", " + grouped(tile.pairs) + " of " + counted(tile.all, "pair");
  if (tile.rank >= 0) out += ", rank " + std::to_string(tile.rank);
  if (tile.step >= 0) out += ", step " + std::to_string(tile.step);
  return out;
}

}  // namespace

Picture draw(const MaskMap& map) {
  constexpr double heading = 74, edge = 10;
  const auto rows = static_cast<double>(map.rows()), columns = static_cast<double>(map.columns());
  const double side = std::clamp(560 / std::max({1.0, rows, columns}), 9.0, 46.0);
  Picture p = framed("The score matrix, tile by tile",
                     "A colour is the rank that computes the tile, a number the step. " + total_sentence(map) + ".",
                     heading + columns * side + 20, 66 + rows * side + 36);
  const double left = frame_margin + heading, top = frame_top + 62;
  const double size = std::min(11.0, side * 0.75);
  p.texts.push_back({left, frame_top + 12, "keys →", Align::left, Ink::accent, 12});
  p.texts.push_back({frame_margin, top - 8, "queries ↓", Align::left, Ink::accent, 12});
  const bool crowded = side < 30;
  for (std::int64_t c = 0; c < map.columns(); ++c) {
    const double x = left + static_cast<double>(c) * side;
    p.boxes.push_back({x + 0.5, top - edge - 2, side - 1, edge - 1,
                       map.column_ranks[at(c)] < 0 ? Ink::faint : Ink::rank, map.column_ranks[at(c)], Pattern::solid, 1,
                       "", "keys " + map.column_names[at(c)]});
    const std::string first = map.column_names[at(c)].substr(0, map.column_names[at(c)].find('-'));
    const auto every = static_cast<std::int64_t>(std::max(1.0, std::ceil(32 / side)));
    if (c % (crowded ? every : 1) == 0)
      p.texts.push_back({x + 1, top - edge - 8, first, Align::left, Ink::faint, size});
  }
  for (std::int64_t r = 0; r < map.rows(); ++r) {
    const double y = top + static_cast<double>(r) * side;
    p.boxes.push_back({left - edge - 2, y + 0.5, edge - 1, side - 1, map.row_ranks[at(r)] < 0 ? Ink::faint : Ink::rank,
                       map.row_ranks[at(r)], Pattern::solid, 1, "", "queries " + map.row_names[at(r)]});
    p.texts.push_back(
        {left - edge - 8, y + side / 2 + size * 0.35, map.row_names[at(r)], Align::right, Ink::faint, size});
    for (std::int64_t c = 0; c < map.columns(); ++c) {
      const MaskTile& tile = map.tile(r, c);
      const bool empty = tile.kind() == Tile::empty;
      p.boxes.push_back({.x = left + static_cast<double>(c) * side + 0.5,
                         .y = y + 0.5,
                         .width = side - 1,
                         .height = side - 1,
                         .ink = empty || tile.rank < 0 ? Ink::faint : Ink::rank,
                         .tint = tile.rank,
                         .pattern = pattern_of(tile.kind()),
                         .weight = map.stands_out(tile) ? 1 : 0.2,
                         .label = empty || tile.step < 0 ? "" : std::to_string(tile.step),
                         .tooltip = tooltip_of(map, r, c)});
    }
  }
  add_legend(p, left, top + rows * side + 14, tile_legend());
  return p;
}

}  // namespace ringscope
