#include "pictures/words.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace ringscope {

namespace {

std::string chars(double value, std::chars_format format, int precision) {
  std::array<char, 512> digits{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format, precision).ptr;
  return {digits.data(), end};
}

// Three significant digits without trailing zeros: "1.5", "12", "0.25".
std::string short_number(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::string out = fixed(value, decimals);
  if (decimals == 0) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
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

std::string bytes_in_words(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return short_number(value) + " " + std::string(units[unit]);
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
