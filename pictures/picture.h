// Rectangles, lines, text and tooltips as data; drawn as text, SVG or pixels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ringscope {

enum class Ink : std::uint8_t {
  text,
  faint,
  accent,
  full,
  partial,
  empty,
  good,
  bad,
  rank
};  // rank: coloured by `tint`

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  Ink ink = Ink::accent;
  int tint = 0;       // which rank's colour, for Ink::rank
  double weight = 1;  // 0..1: how strongly it is filled
  std::string label, tooltip;
};
struct Arrow {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Ink ink = Ink::accent;
  int tint = 0;
  std::string label, tooltip;
};
struct Line {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Ink ink = Ink::faint;
};
enum class Align : std::uint8_t { left, centre, right };
struct Text {
  double x = 0, y = 0;  // baseline
  std::string words;
  Align align = Align::left;
  Ink ink = Ink::text;
  double size = 12;
};

// Units are points; y grows downwards.
struct Picture {
  std::string title;
  double width = 0, height = 0;
  std::vector<Box> boxes;
  std::vector<Line> lines;
  std::vector<Arrow> arrows;
  std::vector<Text> texts;
  std::string plain;  // the same picture for a terminal: 80 columns, with {ink} marks (pictures/terminal.h)
};

}  // namespace ringscope
