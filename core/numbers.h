// Numbers as words write them: the whole text or nothing, no overflow, no spaces; the same in every locale.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

std::optional<std::int64_t> whole_number(std::string_view text);
std::optional<std::uint64_t> seed_number(std::string_view text);
std::optional<double> real_number(std::string_view text);                       // finite
std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text);  // "0,50,128": one or more
// The shortest text that reads back as the same number.
std::string text_of(double value);
std::string text_of(const std::vector<std::int64_t>& values);  // "0,50,128"

// The text before and after the first `mark`; `behind` is absent without a mark.
struct Halves {
  std::string_view before;
  std::optional<std::string_view> behind;
};
Halves split_at(std::string_view text, char mark);

}  // namespace ringscope
