#include "pictures/sheet.h"

#include <algorithm>
#include <array>

namespace ringscope {

namespace {

bool begins_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// The first `columns` code points.
std::string_view clipped(std::string_view words, int columns) {
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    if (begins_code_point(words[i]) && columns-- == 0) break;
  }
  return words.substr(0, i);
}

}  // namespace

int columns_of(std::string_view words) {
  return static_cast<int>(std::count_if(words.begin(), words.end(), begins_code_point));
}

int columns_of(const SheetLine& line) {
  int n = 0;
  for (const Span& span : line) n += columns_of(span.words);
  return n;
}

std::string repeated(std::string_view glyph, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += glyph;
  return out;
}

std::string fit(std::string_view words, int columns, Align align) {
  const int have = columns_of(words);
  if (have > columns) return std::string(clipped(words, std::max(0, columns - 1))) + (columns > 0 ? "…" : "");
  const int gap = columns - have;
  const int left = align == Align::left ? 0 : align == Align::right ? gap : gap / 2;
  return repeated(" ", left) + std::string(words) + repeated(" ", gap - left);
}

void Sheet::say(std::string_view sentence, Ink ink, int indent) {
  std::string line;
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    std::string_view word = sentence.substr(0, end);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
    const bool only_indent = line.find_first_not_of(' ') == std::string::npos;
    if (!only_indent && columns_of(line) + 1 + columns_of(word) > sheet_columns) {
      add({{line, ink}});
      line = repeated(" ", indent);
    } else if (!only_indent) {
      line += ' ';
    }
    while (columns_of(line) + columns_of(word) > sheet_columns) {
      const std::string_view head = clipped(word, sheet_columns - columns_of(line));
      add({{line + std::string(head), ink}});
      word.remove_prefix(head.size());
      line = repeated(" ", indent);
    }
    line += word;
  }
  add({{line, ink}});
}

void Sheet::append(const Sheet& more) {
  lines.insert(lines.end(), more.lines.begin(), more.lines.end());
}

std::string_view glyph_of(Tile tile) {
  static constexpr std::array<std::string_view, 3> glyphs{"·", "■", "▨"};
  return glyphs[static_cast<std::size_t>(tile)];
}

Pattern pattern_of(Tile tile) {
  return tile == Tile::full ? Pattern::solid : tile == Tile::partial ? Pattern::hatched : Pattern::outlined;
}

std::string_view name_of(Tile tile) {
  return tile == Tile::full ? "full" : tile == Tile::partial ? "partial" : "empty";
}

std::vector<int> shown(int n, int room) {
  std::vector<int> out;
  const int last = std::max(1, room / 4), first = std::max(1, room - last - 1);
  for (int i = 0; i < n; ++i) {
    if (n <= room || i < first || i >= n - last) {
      out.push_back(i);
    } else if (i == first) {
      out.push_back(-1);
    }
  }
  return out;
}

}  // namespace ringscope
