#include "core/numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ringscope {

namespace {

template <class Number>
std::optional<Number> whole_text_as(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  return whole_text_as<std::int64_t>(text);
}

std::optional<std::uint64_t> seed_number(std::string_view text) {
  return whole_text_as<std::uint64_t>(text);
}

std::optional<double> real_number(std::string_view text) {
  const auto value = whole_text_as<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::vector<std::int64_t>> whole_numbers(std::string_view text) {
  std::vector<std::int64_t> values;
  for (std::optional<std::string_view> rest = text; rest;) {
    const Halves halves = split_at(*rest, ',');
    const auto value = whole_number(halves.before);
    if (!value) return std::nullopt;
    values.push_back(*value);
    rest = halves.behind;
  }
  return values;
}

std::string text_of(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const std::int64_t v : values) out += (out.empty() ? "" : ",") + std::to_string(v);
  return out;
}

std::string short_number(double value) {
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::array<char, 512> digits{};  // the largest double has 309 digits before the point
  char* const begin = digits.data();
  std::string out(begin, std::to_chars(begin, begin + digits.size(), value, std::chars_format::fixed, decimals).ptr);
  if (decimals == 0) return out;
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string bytes_in_words(std::int64_t bytes) {
  constexpr std::array<std::string_view, 6> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return short_number(value) + " " + std::string(units[unit]);
}

Halves split_at(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace ringscope
