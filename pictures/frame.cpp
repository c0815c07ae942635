#include "pictures/frame.h"

#include <algorithm>

#include "pictures/sheet.h"

namespace ringscope {

double width_of(std::string_view words, double size) {
  return 0.56 * size * columns_of(words);
}

Picture framed(std::string title, std::string summary, double contents_width, double contents_height) {
  constexpr double title_size = 15, summary_size = 12;
  Picture p;
  const double words = std::max(width_of(title, title_size), width_of(summary, summary_size));
  p.width = std::max(contents_width, words) + 2 * frame_margin;
  p.height = frame_top + contents_height + frame_margin;
  p.texts.push_back({.x = frame_margin, .y = 26, .words = title, .size = title_size});
  p.texts.push_back({.x = frame_margin, .y = 44, .words = summary, .ink = Ink::faint, .size = summary_size});
  p.title = std::move(title);
  p.summary = std::move(summary);
  return p;
}

void widen_to_words(Picture& picture) {
  for (const Text& t : picture.texts) {
    if (t.align == Align::left) picture.width = std::max(picture.width, t.x + width_of(t.words, t.size) + frame_margin);
  }
}

void add_legend(Picture& picture, double x, double y, const std::vector<LegendEntry>& entries) {
  constexpr double side = 12, size = 11;
  for (const LegendEntry& entry : entries) {
    Box box = entry.sample;
    box.x = x;
    box.y = y;
    box.width = box.height = side;
    picture.boxes.push_back(box);
    picture.texts.push_back({.x = x + side + 5, .y = y + 10, .words = entry.words, .ink = Ink::faint, .size = size});
    x += side + 5 + width_of(entry.words, size) + 18;
  }
  picture.width = std::max(picture.width, x + frame_margin);
}

std::vector<LegendEntry> tile_legend() {
  std::vector<LegendEntry> out;
  for (const Tile tile : {Tile::full, Tile::partial, Tile::empty}) {
    const std::string words = tile == Tile::full      ? "full: every pair allowed"
                              : tile == Tile::partial ? "partial: some pairs masked"
                                                      : "empty: skipped";
    out.push_back({{.ink = Ink::accent, .pattern = pattern_of(tile)}, words});
  }
  return out;
}

}  // namespace ringscope
