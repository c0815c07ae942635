// The colour of every ink, on light and dark grounds and in a terminal.
#pragma once
#include <string_view>

#include "pictures/picture.h"

namespace ringscope {

inline constexpr int rank_hues = 8;  // ranks beyond it reuse them; the rank's number is always printed too

struct Hue {
  std::string_view light, dark;  // "#0072b2": on the light and on the dark ground
  std::string_view light_label;  // words written on it, on the light ground
  std::string_view dark_label;   // and on the dark one
  int terminal = 7;              // of the 256 colours
};

Hue hue_of(Ink ink, int tint = 0);

inline constexpr std::string_view light_ground = "#ffffff", dark_ground = "#17191d";

}  // namespace ringscope
