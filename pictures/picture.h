// Rectangles, lines, arrows, words and tooltips as data; drawn as SVG (pictures/svg.h) or pixels.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ringscope {

// What a thing means, not its colour: pictures/palette.h has the colours, for light, dark and terminal.
enum class Ink : std::uint8_t { text, faint, accent, good, bad, card, rank };  // rank: coloured by `tint`

// Told apart without colour. Tiles: full is solid, partial is hatched, empty is outlined.
enum class Pattern : std::uint8_t { solid, hatched, outlined };
enum class Stroke : std::uint8_t { solid, dashed };
enum class Align : std::uint8_t { left, centre, right };

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  Ink ink = Ink::accent;
  int tint = 0;  // which rank's colour, for Ink::rank
  Pattern pattern = Pattern::solid;
  double weight = 1;           // 0..1: how strongly it is filled
  std::string label, tooltip;  // the label is centred, shrunk to fit, and left out where it cannot be read
};
// A curve from one end to the other with its head there.
struct Arrow {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double bend = 0;  // how far the middle of the curve lies to the left of the straight line, seen along it
  Ink ink = Ink::accent;
  int tint = 0;
  Stroke stroke = Stroke::solid;
  std::string tooltip;
};
struct Line {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  Ink ink = Ink::faint;
  Stroke stroke = Stroke::solid;
};
struct Text {
  double x = 0, y = 0;  // baseline
  std::string words;
  Align align = Align::left;
  Ink ink = Ink::text;
  double size = 12;
};

// Units are points; y grows downwards. Lines are drawn first, then arrows, boxes and texts, each in list order.
struct Picture {
  std::string title, summary;  // the summary says in a sentence what is seen, for who cannot see it
  double width = 0, height = 0;
  std::vector<Line> lines;
  std::vector<Arrow> arrows;
  std::vector<Box> boxes;
  std::vector<Text> texts;
};

}  // namespace ringscope
