#include <algorithm>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/layout_strip.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

// How many positions from the start are drawn: all, unless they change hands too often for the room there is.
std::int64_t drawn_positions(const LayoutStrip::OneSide& side, std::int64_t most_stretches) {
  const auto n = static_cast<std::int64_t>(side.stretches.size());
  return n <= most_stretches ? side.len : side.stretches[at(most_stretches - 1)].end;
}

constexpr double strip_heading = 44, strip_width = 760;
constexpr std::int64_t most_stretches = 128;

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
  return 100 + row_height(strip) * static_cast<double>(shown(strip.ranks, most_ranks_shown).size());
}

void draw_positions(const LayoutStrip::OneSide& side, std::int64_t drawn, double y, Picture& p) {
  const double left = frame_margin + strip_heading,
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
  double x = frame_margin + strip_heading;
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

Picture draw(const LayoutStrip& strip) {
  Picture p = framed("Who owns which tokens",
                     "Above, the sequence in its order; below, the rows of each rank as they lie in its memory.",
                     strip_heading + strip_width + 70, height_of(strip) * static_cast<double>(strip.sides.size()));
  double y = frame_top;
  for (const LayoutStrip::OneSide& side : strip.sides) {
    const std::int64_t drawn = drawn_positions(side, most_stretches);
    p.texts.push_back({frame_margin, y + 12, heading_of(side, drawn), Align::left, Ink::accent, 12});
    draw_positions(side, drawn, y + 20, p);
    std::int64_t most = 1;
    for (const std::vector<Stretch>& list : side.rows) most = std::max(most, rows_of(list));
    double row_y = y + 76;
    for (const int rank : shown(strip.ranks, most_ranks_shown)) {
      const double height = row_height(strip);
      p.texts.push_back({frame_margin + strip_heading - 8, row_y + height * 0.7, rank < 0 ? "…" : rank_name(rank),
                         Align::right, Ink::text, std::min(12.0, height * 0.85)});
      if (rank >= 0) draw_rank(side.rows[at(rank)], row_y, height, strip_width / static_cast<double>(most), p);
      row_y += height;
    }
    y += height_of(strip);
  }
  return p;
}

}  // namespace ringscope
