#include "pictures/palette.h"

#include <array>
#include <cstddef>

#include "core/error.h"

namespace ringscope {

namespace {

constexpr std::string_view black = "#000000", white = "#ffffff";

// Okabe and Ito's colours, which the colour-blind tell apart (jfly.uni-koeln.de/color). On white, yellow and sky are
// darker than theirs, so that they keep a contrast of 3:1.
constexpr std::array<Hue, rank_hues> rank_colours{{
    {"#0072b2", "#2f8fd0", white, black, 32},   // blue
    {"#e69f00", "#e69f00", black, black, 178},  // orange
    {"#009e73", "#00b587", black, black, 36},   // bluish green
    {"#d55e00", "#e8702a", black, black, 166},  // vermillion
    {"#2f8fc7", "#56b4e9", black, black, 74},   // sky
    {"#cc79a7", "#d68db5", black, black, 175},  // purple
    {"#9a8700", "#f0e442", black, black, 142},  // yellow
    {"#8c8c8c", "#999999", black, black, 245},  // grey
}};

}  // namespace

Hue hue_of(Ink ink, int tint) {
  switch (ink) {
    case Ink::text:
      return {"#1b1f24", "#e8e8e8", white, black, 0};
    case Ink::faint:
      return {"#6a737d", "#8f98a3", white, black, 245};
    case Ink::accent:
      return {"#44546a", "#9fb0c8", white, black, 67};
    case Ink::good:
      return {"#00795a", "#00b587", white, black, 36};
    case Ink::bad:
      return {"#b83c00", "#ff8040", white, black, 202};
    case Ink::card:
      return {"#eef1f5", "#262a31", black, white, 0};
    case Ink::rank:
      return rank_colours[static_cast<std::size_t>(tint < 0 ? rank_hues - 1 : tint % rank_hues)];
  }
  ensure(false, "a known ink");
  return {};
}

}  // namespace ringscope
