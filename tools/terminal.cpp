#include "tools/terminal.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace ringscope {

bool is_terminal(std::FILE* file) {
  return ::isatty(::fileno(file)) == 1;
}

bool wants_colour(std::FILE* file) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(file) && (no_colour == nullptr || *no_colour == '\0');
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

std::string inked(std::string_view words, Emphasis emphasis, std::FILE* file) {
  constexpr std::array<std::string_view, 4> codes{"", "\x1b[32m", "\x1b[31m", "\x1b[2m"};
  if (emphasis == Emphasis::none || !wants_colour(file)) return std::string(words);
  return std::string(codes[static_cast<std::size_t>(emphasis)]) + std::string(words) + "\x1b[0m";
}

}  // namespace ringscope
