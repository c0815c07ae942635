#include "pictures/mask_map.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pictures/frame.h"
#include "pictures/layout_strip.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_lines = 64;  // rows or columns of a map: one glyph each fits a terminal

constexpr std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// One row or column of the map.
struct Strip {
  std::string name;
  BlockRows rows;
  int block = 0, rank = 0;
};

std::vector<Strip> strips_by_position(const Layout& layout, Side side) {
  std::vector<Strip> out;
  for (const Stretch& s : stretches_of(layout, side)) {
    const std::string name =
        s.size() == 1 ? std::to_string(s.begin) : std::to_string(s.begin) + "-" + std::to_string(s.end - 1);
    out.push_back({name, BlockRows({{s.begin, 1, 0, s.size()}}), s.block, s.rank});
  }
  return out;
}

std::vector<Strip> strips_by_block(const Layout& layout, Side side) {
  std::vector<Strip> out;
  for (int b = 0; b < layout.blocks(); ++b) {
    if (layout.rows(side, b) == 0) continue;
    const std::string name = (side == Side::q ? "Q" : "KV") + std::to_string(b);
    out.push_back({name, layout.block(side, b), b, layout.owner(b)});
  }
  return out;
}

// The pairs of one batch item are those of the problem that has only this item.
Problem one_item(const Problem& problem, int batch) {
  Problem p = problem;
  if (batch == every_item) return p;
  p.batch = 1;
  if (!p.mask.kv_lens.empty()) p.mask.kv_lens = {problem.mask.kv_lens[at(batch)]};
  return p;
}

struct Doer {
  int rank = -1, step = -1;
};

// Who attends query block q with KV block kv for one head: [q * blocks + kv].
std::vector<Doer> doers_of(const Plan& plan, const MaskMapRequest& request) {
  const int n = plan.layout.blocks();
  std::vector<Doer> out(at(static_cast<std::int64_t>(n) * n));
  for (int t = 0; t < plan.schedule.steps(); ++t) {
    if (plan.schedule.pass(t) != request.pass) continue;
    for (const Attend& a : plan.schedule.attends_of(t)) {
      if (request.head < a.q_heads.begin || request.head >= a.q_heads.end) continue;
      for (int i = 0; i < a.q.count; ++i) {
        for (int j = 0; j < a.kv.count; ++j)
          out[at(static_cast<std::int64_t>(a.q.at(i)) * n + a.kv.at(j))] = {a.rank, t};
      }
    }
  }
  return out;
}

// Blocks for the pair counter that are the strips of the map: rows first, then columns.
Layout layout_of(const std::vector<Strip>& rows, const std::vector<Strip>& columns) {
  Layout layout;
  layout.ranks = static_cast<int>(std::max(rows.size(), columns.size()));
  layout.q.resize(at(layout.ranks));
  layout.kv.resize(at(layout.ranks));
  for (std::size_t i = 0; i < rows.size(); ++i) layout.q[i] = rows[i].rows;
  for (std::size_t i = 0; i < columns.size(); ++i) layout.kv[i] = columns[i].rows;
  return layout;
}

std::string joined(const std::string& first, const std::string& last) {
  if (first == last) return first;
  return first.substr(0, first.find('-')) + "-" + last.substr(std::min(last.size(), last.find_first_of("0123456789")));
}

// `by` neighbours together, in both directions; what they do not share is -1.
MaskMap pooled(const MaskMap& map, std::int64_t by) {
  MaskMap out;
  out.order = map.order;
  out.step = map.step;
  const auto pool = [&](const std::vector<std::string>& names, const std::vector<int>& ranks,
                        std::vector<std::string>& to_names, std::vector<int>& to_ranks) {
    const auto n = static_cast<std::int64_t>(names.size());
    for (std::int64_t i = 0; i < n; i += by) {
      const std::int64_t last = std::min(n, i + by) - 1;
      to_names.push_back(joined(names[at(i)], names[at(last)]));
      const bool same =
          std::all_of(ranks.begin() + i, ranks.begin() + last + 1, [&](int r) { return r == ranks[at(i)]; });
      to_ranks.push_back(same ? ranks[at(i)] : -1);
    }
  };
  pool(map.row_names, map.row_ranks, out.row_names, out.row_ranks);
  pool(map.column_names, map.column_ranks, out.column_names, out.column_ranks);
  out.tiles.resize(at(out.rows() * out.columns()));
  std::vector<char> begun(out.tiles.size(), 0);
  for (std::int64_t r = 0; r < map.rows(); ++r) {
    for (std::int64_t c = 0; c < map.columns(); ++c) {
      const MaskTile& tile = map.tile(r, c);
      const std::size_t k = at(r / by * out.columns() + c / by);
      MaskTile& sum = out.tiles[k];
      sum.pairs += tile.pairs;
      sum.all += tile.all;
      sum.rank = begun[k] != 0 && sum.rank != tile.rank ? -1 : tile.rank;
      sum.step = begun[k] != 0 && sum.step != tile.step ? -1 : tile.step;
      begun[k] = 1;
    }
  }
  return out;
}

std::string tooltip_of(const MaskMap& map, std::int64_t row, std::int64_t column) {
  const MaskTile& tile = map.tile(row, column);
  std::string out = "queries " + map.row_names[at(row)] + ", keys " + map.column_names[at(column)] + ": " +
                    std::string(name_of(tile.kind())) + ", " + grouped(tile.pairs) + " of " + counted(tile.all, "pair");
  if (tile.rank >= 0) out += ", rank " + std::to_string(tile.rank);
  if (tile.step >= 0) out += ", step " + std::to_string(tile.step);
  return out;
}

std::string total_sentence(const MaskMap& map) {
  return counted(map.pairs(), "allowed pair") + " of one head";
}

}  // namespace

std::int64_t MaskMap::pairs() const {
  std::int64_t n = 0;
  for (const MaskTile& tile : tiles) n += tile.pairs;
  return n;
}

MaskMap make_mask_map(const Plan& plan, const MaskMapRequest& request) {
  const Problem problem = one_item(plan.problem, request.batch);
  std::vector<Strip> rows = strips_by_position(plan.layout, Side::q);
  std::vector<Strip> columns = strips_by_position(plan.layout, Side::kv);
  MaskMap map;
  map.step = request.step;
  if (static_cast<std::int64_t>(std::max(rows.size(), columns.size())) > most_lines) {
    map.order = MaskMap::Order::blocks;
    rows = strips_by_block(plan.layout, Side::q);
    columns = strips_by_block(plan.layout, Side::kv);
  }
  for (const Strip& s : rows) {
    map.row_names.push_back(s.name);
    map.row_ranks.push_back(s.rank);
  }
  for (const Strip& s : columns) {
    map.column_names.push_back(s.name);
    map.column_ranks.push_back(s.rank);
  }
  const Layout layout = layout_of(rows, columns);
  const PairCounter counter(problem, layout);
  const std::vector<Doer> doers = doers_of(plan, request);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Doer doer = doers[at(static_cast<std::int64_t>(rows[r].block) * plan.layout.blocks() + columns[c].block)];
      map.tiles.push_back({counter.pairs(static_cast<int>(r), static_cast<int>(c)),
                           problem.batch * rows[r].rows.rows() * columns[c].rows.rows(), doer.rank, doer.step});
    }
  }
  const std::int64_t lines = std::max(map.rows(), map.columns());
  return lines > most_lines ? pooled(map, (lines + most_lines - 1) / most_lines) : map;
}

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
