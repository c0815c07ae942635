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

std::string short_number(double value);          // three digits without trailing zeros: "1.5", "12", "0.25"
std::string bytes_in_words(std::int64_t bytes);  // "768 B", "1.5 KiB", "12 MiB"

// The text before and after the first `mark`; `behind` is absent without a mark.
struct Halves {
  std::string_view before;
  std::optional<std::string_view> behind;
};
Halves split_at(std::string_view text, char mark);

}  // namespace ringscope
