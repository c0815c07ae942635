#include "pictures/ratio_shade.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pictures/words.h"

namespace ringscope {

namespace {

// 0 (none) to 1 (just allowed), by decades: 1/1000 of what is allowed is hardly seen.
double ratio_strength(double ratio) {
  constexpr double decades = 3;
  return ratio > 0 ? std::clamp(1 + std::log10(ratio) / decades, 0.05, 1.0) : 0;
}

}  // namespace

bool is_wrong_ratio(double ratio) {
  return !(ratio <= 1);
}

std::string ratio_in_words(double ratio) {
  if (ratio < 0) return "nothing there";
  if (!std::isfinite(ratio)) return "not finite where it should be";
  if (ratio == 0) return "exact";
  if (ratio <= 1) return fixed(ratio, 3) + " of what is allowed";
  return (ratio < 1000 ? fixed(ratio, 1) : scientific(ratio)) + " times what is allowed";
}

Box ratio_box(double ratio) {
  if (is_wrong_ratio(ratio)) return {.ink = Ink::bad, .pattern = Pattern::hatched};
  const double weight = 0.06 + 0.9 * ratio_strength(ratio);
  if (ratio < 0) return {.ink = Ink::faint, .pattern = Pattern::outlined, .weight = weight};
  return {.ink = Ink::accent, .weight = weight};
}

Span ratio_span(double ratio) {
  constexpr std::array<std::string_view, 5> shades{"·", "░", "▒", "▓", "█"};
  if (is_wrong_ratio(ratio)) return {"!", Ink::bad};
  if (ratio < 0) return {" ", Ink::faint};
  return {std::string(shades[static_cast<std::size_t>(std::lround(4 * ratio_strength(ratio)))]), Ink::accent};
}

std::vector<LegendEntry> ratio_legend() {
  return {{ratio_box(0), "exact"}, {ratio_box(1), "just allowed"}, {ratio_box(2), "wrong"}};
}

}  // namespace ringscope
