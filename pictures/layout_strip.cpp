#include "pictures/layout_strip.h"

#include <algorithm>

#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

constexpr std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The runs of consecutive positions of one block, in local order.
std::vector<Stretch> runs_of(const Layout& layout, Side side, int block) {
  std::vector<Stretch> out;
  for (const Range& range : layout.block(side, block).ranges()) {
    for (std::int64_t a = 0; a < range.count; ++a) {
      const std::int64_t begin = range.begin + a * range.stride;
      if (!out.empty() && out.back().end == begin) {
        out.back().end += range.width;
      } else {
        out.push_back({begin, begin + range.width, block, layout.owner(block)});
      }
    }
  }
  return out;
}

LayoutStrip::OneSide make_side(const Layout& layout, Side side) {
  LayoutStrip::OneSide out;
  out.side = side;
  out.stretches = stretches_of(layout, side);
  out.len = out.stretches.empty() ? 0 : out.stretches.back().end;
  out.rows.resize(at(layout.ranks));
  for (int b = 0; b < layout.blocks(); ++b) {
    for (const Stretch& s : runs_of(layout, side, b)) out.rows[at(layout.owner(b))].push_back(s);
  }
  return out;
}

std::string heading_of(const LayoutStrip::OneSide& side) {
  const std::string who = side.both ? "queries and keys" : side.side == Side::q ? "queries" : "keys and values";
  return who + ", " + counted(side.len, "position");
}

std::string range_of(const Stretch& s) {
  return s.size() == 1 ? std::to_string(s.begin) : std::to_string(s.begin) + "-" + std::to_string(s.end - 1);
}

std::int64_t rows_of(const std::vector<Stretch>& list) {
  std::int64_t n = 0;
  for (const Stretch& s : list) n += s.size();
  return n;
}

// How many positions from the start are drawn: all, unless they change hands too often for the room there is.
std::int64_t drawn_positions(const LayoutStrip::OneSide& side, std::int64_t most_stretches) {
  const auto n = static_cast<std::int64_t>(side.stretches.size());
  return n <= most_stretches ? side.len : side.stretches[at(most_stretches - 1)].end;
}

std::string cut_note(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  return drawn == side.len ? "" : ": the first " + grouped(drawn) + " are shown";
}

constexpr double heading = 44, strip_width = 760;
constexpr std::int64_t most_stretches = 128;
constexpr int most_ranks = 64;

Box stretch_box(const Stretch& s, double x, double y, double width, double height) {
  return {.x = x,
          .y = y,
          .width = std::max(0.5, width - 1),
          .height = height,
          .ink = Ink::rank,
          .tint = s.rank,
          .label = rank_name(s.rank),
          .tooltip =
              "positions " + range_of(s) + ": rank " + std::to_string(s.rank) + ", block " + std::to_string(s.block)};
}

double row_height(const LayoutStrip& strip) {
  return strip.ranks > 16 ? 12 : 22;
}

double height_of(const LayoutStrip& strip) {
  return 100 + row_height(strip) * static_cast<double>(shown(strip.ranks, most_ranks).size());
}

void draw_positions(const LayoutStrip::OneSide& side, std::int64_t drawn, double y, Picture& p) {
  const double left = frame_margin + heading,
               scale = strip_width / static_cast<double>(std::max<std::int64_t>(1, drawn));
  double last_mark = -100;
  for (const Stretch& s : side.stretches) {
    if (s.end > drawn) break;
    const double x = left + static_cast<double>(s.begin) * scale;
    p.boxes.push_back(stretch_box(s, x, y, static_cast<double>(s.size()) * scale, 30));
    if (x - last_mark > 34) {
      p.texts.push_back({x, y + 44, std::to_string(s.begin), Align::left, Ink::faint, 10});
      last_mark = x;
    }
  }
}

// The rows of one rank as they lie in its memory, on the scale of the fullest rank.
void draw_rank(const std::vector<Stretch>& list, double y, double height, double scale, Picture& p) {
  double x = frame_margin + heading;
  for (std::size_t i = 0; i < std::min(list.size(), at(most_stretches)); ++i) {
    const double width = static_cast<double>(list[i].size()) * scale;
    Box box = stretch_box(list[i], x, y + 1, width, height - 2);
    box.label = range_of(list[i]);
    box.pattern = i > 0 && list[i].block != list[i - 1].block ? Pattern::hatched : Pattern::solid;
    p.boxes.push_back(box);
    x += width;
  }
  p.texts.push_back(
      {x + 6, y + height * 0.7, counted(rows_of(list), "row"), Align::left, Ink::faint, std::min(11.0, height * 0.8)});
}

}  // namespace

std::vector<Stretch> stretches_of(const Layout& layout, Side side) {
  std::vector<Stretch> all;
  for (int b = 0; b < layout.blocks(); ++b) {
    const std::vector<Stretch> runs = runs_of(layout, side, b);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> out;
  for (const Stretch& s : all) {
    if (!out.empty() && out.back().end == s.begin && out.back().block == s.block) {
      out.back().end = s.end;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

LayoutStrip make_layout_strip(const Layout& layout) {
  LayoutStrip strip;
  strip.ranks = layout.ranks;
  strip.blocks_per_rank = layout.blocks_per_rank;
  strip.sides.push_back(make_side(layout, Side::q));
  if (layout.q == layout.kv) {
    strip.sides.back().both = true;
  } else {
    strip.sides.push_back(make_side(layout, Side::kv));
  }
  return strip;
}

Picture draw(const LayoutStrip& strip) {
  Picture p = framed("Who owns which tokens",
                     "Above, the sequence in its order; below, the rows of each rank as they lie in its memory.",
                     heading + strip_width + 70, height_of(strip) * static_cast<double>(strip.sides.size()));
  double y = frame_top;
  for (const LayoutStrip::OneSide& side : strip.sides) {
    const std::int64_t drawn = drawn_positions(side, most_stretches);
    p.texts.push_back({frame_margin, y + 12, heading_of(side) + cut_note(side, drawn), Align::left, Ink::accent, 12});
    draw_positions(side, drawn, y + 20, p);
    std::int64_t most = 1;
    for (const std::vector<Stretch>& list : side.rows) most = std::max(most, rows_of(list));
    double row_y = y + 76;
    for (const int rank : shown(strip.ranks, most_ranks)) {
      const double height = row_height(strip);
      p.texts.push_back({frame_margin + heading - 8, row_y + height * 0.7, rank < 0 ? "…" : rank_name(rank),
                         Align::right, Ink::text, std::min(12.0, height * 0.85)});
      if (rank >= 0) draw_rank(side.rows[at(rank)], row_y, height, strip_width / static_cast<double>(most), p);
      row_y += height;
    }
    y += height_of(strip);
  }
  return p;
}

namespace {

constexpr int strip_columns = 72;

constexpr std::string_view owner_digits = "0123456789abcdefghijklmnopqrstuvwxyz";

// The owner of each column's positions, -1 where it has several; a column is one position or an equal run of them.
std::vector<int> column_owners(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  const std::int64_t per_column = std::max<std::int64_t>(1, (drawn + strip_columns - 1) / strip_columns);
  std::vector<int> owners;
  std::size_t s = 0;
  for (std::int64_t begin = 0; begin < drawn; begin += per_column) {
    while (side.stretches[s].end <= begin) ++s;
    int owner = side.stretches[s].rank;
    const std::int64_t end = std::min(drawn, begin + per_column);
    for (std::size_t k = s; k < side.stretches.size() && side.stretches[k].begin < end; ++k) {
      if (side.stretches[k].rank != owner) owner = -1;
    }
    owners.push_back(owner);
  }
  return owners;
}

// The whole side where most columns have one owner, else as many positions as there are columns.
std::int64_t written_positions(const LayoutStrip::OneSide& side) {
  const std::vector<int> owners = column_owners(side, side.len);
  const auto mixed = std::count(owners.begin(), owners.end(), -1);
  return 2 * mixed > static_cast<std::int64_t>(owners.size()) ? std::min<std::int64_t>(side.len, strip_columns)
                                                              : side.len;
}

SheetLine strip_line(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  SheetLine line{{fit("", 6)}};
  for (const int owner : column_owners(side, drawn)) {
    if (owner < 0) {
      line.push_back({"▒", Ink::faint});
    } else {
      line.push_back(
          {std::string(1, owner_digits[static_cast<std::size_t>(owner) % owner_digits.size()]), Ink::rank, owner});
    }
  }
  return line;
}

SheetLine rank_line(const std::vector<Stretch>& list, int rank) {
  constexpr int heading_columns = 6, number_columns = 14;
  std::string ranges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string next = (ranges.empty()                                ? ""
                              : i > 0 && list[i].block != list[i - 1].block ? " | "
                                                                            : " ") +
                             range_of(list[i]);
    const int room = sheet_columns - heading_columns - number_columns - (i + 1 < list.size() ? 2 : 0);
    if (columns_of(ranges) + columns_of(next) > room) {
      ranges += " …";
      break;
    }
    ranges += next;
  }
  return {{fit(rank_name(rank), heading_columns - 1, Align::right) + " ", Ink::rank, rank},
          {fit(ranges, sheet_columns - heading_columns - number_columns)},
          {fit(counted(rows_of(list), "row"), number_columns, Align::right), Ink::faint}};
}

}  // namespace

Sheet write(const LayoutStrip& strip) {
  Sheet sheet;
  for (const LayoutStrip::OneSide& side : strip.sides) {
    const std::int64_t drawn = written_positions(side);
    sheet.add({{heading_of(side) + cut_note(side, drawn), Ink::accent}});
    sheet.add(strip_line(side, drawn));
    for (const int rank : shown(strip.ranks, most_ranks)) {
      sheet.add(rank < 0 ? SheetLine{{"    …", Ink::faint}} : rank_line(side.rows[at(rank)], rank));
    }
  }
  sheet.say(std::string("the strip shows the owner of each position, ranks as 0-9 and a-z; ▒ has several") +
                (strip.blocks_per_rank > 1 ? "; | separates a rank's blocks" : ""),
            Ink::faint);
  return sheet;
}

}  // namespace ringscope
