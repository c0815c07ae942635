// Words for people. Colour: on a terminal alone, and never when NO_COLOR is set (no-color.org).
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace ringscope {

enum class Emphasis : std::uint8_t { none, good, bad, faint };

bool is_terminal(std::FILE* file);
bool wants_colour(std::FILE* file);
// What a file or an argument holds, without codes that would act on a terminal: \x1b instead of an escape.
std::string printable(std::string_view text);
std::string inked(std::string_view words, Emphasis emphasis, std::FILE* file);

}  // namespace ringscope
