#pragma once
#include <string>
#include <string_view>

namespace ringscope {

// The sentence of the Error(bad_file) that reading these bytes, called `file`, ends in, or "accepted".
std::string refusal_of(std::string_view file);

}  // namespace ringscope
