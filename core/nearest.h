// Which right word was probably meant.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace ringscope {

// Single-letter edits between two words: insert, delete, change, swap of neighbours.
int edits_between(std::string_view a, std::string_view b);
// The allowed word with the fewest edits, the earliest of equals; empty when none is close: within one edit in three
// letters, or one in two.
std::string_view nearest(std::string_view word, std::span<const std::string_view> allowed);
// "the nearest right word is `zigzag`", or nothing when none is close: the `fix` of an Error.
std::string nearest_sentence(std::string_view word, std::span<const std::string_view> allowed);
// "`a`, `b` or `c`": the `want` of an Error.
std::string any_of(std::span<const std::string_view> allowed);

}  // namespace ringscope
