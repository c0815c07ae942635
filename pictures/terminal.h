// Sheet -> the text that a terminal, a file or a pipe is given.
#pragma once
#include <cstdint>
#include <string>

#include "pictures/sheet.h"

namespace ringscope {

enum class Colour : std::uint8_t { none, ansi };  // none: for pipes, files and NO_COLOR

std::string to_text(const Sheet& sheet, Colour colour);

}  // namespace ringscope
