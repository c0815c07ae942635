// What every picture and every sheet must keep, and plans of all kinds to draw.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "core/plan.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

// Reasons why not: a part outside of the picture, an SVG that is not well-formed, a line of more than 80 columns.
std::optional<std::string> picture_fault(const Picture& picture);
std::optional<std::string> sheet_fault(const Sheet& sheet);

// Every schedule, layout and a mask each, over N = 1, 2, 3, 5, 8 and 64 and lengths that do not divide.
void for_each_plan(const std::function<void(const Plan& plan, const std::string& name)>& check);

}  // namespace ringscope
