// Picture -> SVG: readable on light and dark grounds, tooltips as <title>, all words escaped.
#pragma once
#include <string>
#include <string_view>

#include "pictures/picture.h"

namespace ringscope {

// A file of its own.
std::string to_svg(const Picture& picture);

// For a page of several pictures (pictures/html.h): the <svg> element alone, and what all of them share, once.
std::string svg_element(const Picture& picture);
std::string svg_style();    // CSS
std::string svg_hatches();  // an <svg> element without size that holds the hatch patterns

// &, <, > and quotes as entities; characters that XML forbids as U+FFFD.
std::string escaped(std::string_view words);

}  // namespace ringscope
