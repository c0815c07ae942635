#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

namespace ringscope {

namespace {

// std::mt19937_64 is the same everywhere, the standard's distributions are not.
std::size_t below(std::size_t bound, std::mt19937_64& draw) {
  return bound == 0 ? 0 : static_cast<std::size_t>(draw() % bound);
}

struct Part {
  std::size_t begin, size;
};

Part part_of(const std::string& text, std::mt19937_64& draw) {
  const std::size_t begin = below(text.size() + 1, draw);
  const std::size_t most = std::min<std::size_t>(text.size() - begin, std::size_t{1} << below(9, draw));
  return {begin, below(most + 1, draw)};
}

constexpr std::array<std::uint64_t, 12> edges = {0,      1,       0x7F,       0x80,       0xFF,       0x7FFF,
                                                 0xFFFF, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF, 1ULL << 62, ~0ULL};

void flip_bit(std::string& text, std::mt19937_64& draw) {
  if (!text.empty()) text[below(text.size(), draw)] ^= static_cast<char>(1U << below(8, draw));
}

void set_byte(std::string& text, std::mt19937_64& draw) {
  if (!text.empty()) text[below(text.size(), draw)] = static_cast<char>(draw());
}

void set_number(std::string& text, std::mt19937_64& draw) {
  const std::size_t size = std::size_t{1} << below(4, draw);
  if (text.size() < size) return;
  const std::size_t at = below(text.size() - size + 1, draw);
  const std::uint64_t number = edges[below(edges.size(), draw)] + below(3, draw) - 1;
  for (std::size_t i = 0; i < size; ++i) text[at + i] = static_cast<char>(number >> 8 * i);
}

// Another number where digits stand.
void change_digits(std::string& text, std::mt19937_64& draw) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t at = text.find_first_of(digits, below(text.size() + 1, draw));
  if (at == text.npos) return;
  const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
  const std::uint64_t number = below(2, draw) == 0 ? below(20, draw) : edges[below(edges.size(), draw)];
  text.replace(at, end - at, (below(8, draw) == 0 ? "-" : "") + std::to_string(number));
}

void erase_part(std::string& text, std::mt19937_64& draw) {
  const Part part = part_of(text, draw);
  text.erase(part.begin, part.size);
}

void repeat_part(std::string& text, std::mt19937_64& draw) {
  const Part part = part_of(text, draw);
  const std::string again = text.substr(part.begin, part.size);
  for (std::size_t times = 1 + below(4, draw); times > 0; --times) text.insert(part.begin, again);
}

void move_part(std::string& text, std::mt19937_64& draw) {
  const Part part = part_of(text, draw);
  const std::string moved = text.substr(part.begin, part.size);
  text.erase(part.begin, part.size);
  text.insert(below(text.size() + 1, draw), moved);
}

void cut_end(std::string& text, std::mt19937_64& draw) {
  text.resize(below(text.size() + 1, draw));
}

constexpr std::array damages = {flip_bit, set_byte,   set_number,  change_digits, change_digits,
                                cut_end,  erase_part, repeat_part, move_part};

}  // namespace

std::string mutated(std::string input, std::span<const std::string> others, std::size_t longest,
                    std::mt19937_64& draw) {
  if (!others.empty() && below(8, draw) == 0) {  // the head of one input, the tail of another
    const std::string& other = others[below(others.size(), draw)];
    cut_end(input, draw);
    input += other.substr(below(other.size() + 1, draw));
  }
  for (std::size_t times = std::size_t{1} << below(4, draw); times > 0; --times) {
    std::invoke(damages[below(damages.size(), draw)], input, draw);
  }
  input.resize(std::min(input.size(), longest));
  return input;
}

}  // namespace ringscope
