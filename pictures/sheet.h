// A picture in words: lines of inked spans, at most 80 columns wide; written out by pictures/terminal.h.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pair_count.h"
#include "pictures/picture.h"

namespace ringscope {

inline constexpr int sheet_columns = 80;

struct Span {
  std::string words;
  Ink ink = Ink::text;
  int tint = 0;  // which rank's colour, for Ink::rank
};
using SheetLine = std::vector<Span>;

struct Sheet {
  std::vector<SheetLine> lines;

  void add(SheetLine line) { lines.push_back(std::move(line)); }
  void skip() { lines.emplace_back(); }
  // Breaks between words to fit; lines after the first begin with `indent` spaces.
  void say(std::string_view sentence, Ink ink = Ink::text, int indent = 0);
  void append(const Sheet& more);
};

// Code points, each of which these sheets take to fill one column.
int columns_of(std::string_view words);
int columns_of(const SheetLine& line);
// Padded to `columns`; longer words are cut and end in "…".
std::string fit(std::string_view words, int columns, Align align = Align::left);
std::string repeated(std::string_view glyph, std::int64_t times);

// ■ full, ▨ partial, · empty.
std::string_view glyph_of(Tile tile);
Pattern pattern_of(Tile tile);
std::string_view name_of(Tile tile);

// Which of n things fit when `room` are shown: all, or the first ones, -1 for "…", and the last ones.
std::vector<int> shown(int n, int room);
inline constexpr int most_ranks_shown = 64;

}  // namespace ringscope
