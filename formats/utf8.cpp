#include "formats/utf8.h"

namespace ringscope {

namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

struct Lead {
  std::size_t length = 0;
  char32_t bits = 0;
  char32_t least = 0;  // shorter forms of smaller code points are refused
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte < 0xE0) return {2, byte & 0x1FU, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return {3, byte & 0x0FU, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return {4, byte & 0x07U, 0x10000};
  return {};
}

constexpr bool is_code_point(char32_t c) {
  return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
}

// Bytes of the character that text begins with, or 0 where it begins with none.
std::size_t character_length(std::string_view text) {
  const Lead lead = lead_of(byte_at(text, 0));
  if (lead.length == 0 || lead.length > text.size()) return 0;
  char32_t c = lead.bits;
  for (std::size_t i = 1; i < lead.length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80) return 0;
    c = c << 6 | (byte_at(text, i) & 0x3FU);
  }
  return c >= lead.least && is_code_point(c) ? lead.length : 0;
}

// C0, DEL and C1 (U+0080 to U+009F), which some terminals obey.
bool is_control(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte_at(character, 1) < 0xA0);
}

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += "\\x";
    out += digits[byte_at(bytes, i) >> 4];
    out += digits[byte_at(bytes, i) & 0xFU];
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool append_utf8(std::string& text, char32_t c) {
  if (!is_code_point(c)) return false;
  const auto tail = [c](int shift) { return static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += {static_cast<char>(0xC0U | c >> 6), tail(0)};
  } else if (c < 0x10000) {
    text += {static_cast<char>(0xE0U | c >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0U | c >> 18), tail(12), tail(6), tail(0)};
  }
  return true;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "...";
    const std::size_t length = character_length(text);
    const std::string_view next = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(next)) {
      append_escaped(out, next);
    } else {
      out += next;
    }
    text.remove_prefix(next.size());
  }
  return out;
}

std::string quoted_name(std::string_view name) {
  return '`' + printable(name, 60) + '`';
}

}  // namespace ringscope
