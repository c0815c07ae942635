// What all pictures share: margins, a title with a sentence under it, a legend.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "pictures/picture.h"

namespace ringscope {

inline constexpr double frame_margin = 16, frame_top = 58;  // contents begin at {frame_margin, frame_top}

double width_of(std::string_view words, double size);  // an estimate: fonts differ

// A picture with its heading in place, wide enough for it; the summary is its second line.
Picture framed(std::string title, std::string summary, double contents_width, double contents_height);

// As wide as its left-aligned words need.
void widen_to_words(Picture& picture);

struct LegendEntry {
  Box sample;  // its pattern, ink and tint
  std::string words;
};
// One line that begins at x, y; 18 points high.
void add_legend(Picture& picture, double x, double y, const std::vector<LegendEntry>& entries);
std::vector<LegendEntry> tile_legend();  // full, partial, empty

}  // namespace ringscope
