// How maps of errors show a ratio of error to what is allowed: above 1 and not finite are wrong, below 0 nothing is
// there.
#pragma once
#include <string>
#include <vector>

#include "pictures/frame.h"
#include "pictures/sheet.h"

namespace ringscope {

bool is_wrong_ratio(double ratio);
std::string ratio_in_words(double ratio);  // "0.500 of what is allowed"
// The stronger, the closer to what is allowed, by decades; its place and words are the map's.
Box ratio_box(double ratio);
Span ratio_span(double ratio);  // one letter
std::vector<LegendEntry> ratio_legend();

}  // namespace ringscope
