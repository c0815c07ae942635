#include "pictures/words.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/numbers.h"

namespace ringscope {

namespace {

std::string chars(double value, std::chars_format format, int precision) {
  std::array<char, 512> digits{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::size_t first = n < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string seconds_in_words(double seconds) {
  constexpr std::array<std::string_view, 4> units{"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  for (; seconds < 1 && unit + 1 < units.size(); ++unit) seconds *= 1000;
  return short_number(seconds) + " " + std::string(units[unit]);
}

std::string fixed(double value, int decimals) {
  return chars(value, std::chars_format::fixed, decimals);
}

std::string scientific(double value) {
  return value == 0 ? "0" : chars(value, std::chars_format::scientific, 1);
}

std::string counted(std::int64_t n, std::string_view one) {
  return grouped(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

std::string short_name(TensorKind tensor, const Blocks& blocks) {
  std::string out = std::string(name_of(tensor)) + std::to_string(blocks.first);
  if (blocks.count <= 1) return out;
  if (blocks.stride == 1) return out + "-" + std::to_string(blocks.at(blocks.count - 1));
  if (blocks.count > 3)
    return out + ".." + std::to_string(blocks.at(blocks.count - 1)) + "/" + std::to_string(blocks.stride);
  for (int i = 1; i < blocks.count; ++i) out += "," + std::to_string(blocks.at(i));
  return out;
}

std::string rank_name(int rank) {
  return "r" + std::to_string(rank);
}

}  // namespace ringscope
