// Text that others wrote: whether it is UTF-8, and how to show it to a person whatever it is.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ringscope {

bool is_utf8(std::string_view text);
// Appends one code point, or returns false where there is none: surrogates and what is above U+10FFFF.
bool append_utf8(std::string& text, char32_t code_point);

// UTF-8 on one line that cannot steer a terminal: what is no UTF-8 and control characters become \xNN, and what is
// longer than `most` bytes ends in `...`.
std::string printable(std::string_view text, std::size_t most = 200);
// The same, short and between backticks.
std::string quoted_name(std::string_view name);

}  // namespace ringscope
