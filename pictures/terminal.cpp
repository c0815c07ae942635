#include "pictures/terminal.h"

#include "pictures/palette.h"

namespace ringscope {

namespace {

std::string inked(const Span& span) {
  if (span.ink == Ink::text || span.ink == Ink::card) return span.words;
  return "\x1b[38;5;" + std::to_string(hue_of(span.ink, span.tint).terminal) + "m" + span.words + "\x1b[0m";
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string to_text(const Sheet& sheet, Colour colour) {
  std::string out;
  for (const SheetLine& line : sheet.lines) {
    std::string words;
    for (const Span& span : line) words += colour == Colour::ansi ? inked(span) : span.words;
    out += without_trailing_spaces(std::move(words)) + "\n";
  }
  return out;
}

}  // namespace ringscope
