#include "pictures/svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "pictures/palette.h"
#include "pictures/sheet.h"

namespace ringscope {

namespace {

constexpr double letter_width = 0.58;  // of the size, for digits and lower case in the fonts below
constexpr double largest_label = 12, smallest_label = 6;

// Two decimals at most: a hundredth of a point cannot be seen.
std::string number(double value) {
  std::array<char, 64> digits{};
  const double hundredths = std::round(value * 100) / 100 + 0.0;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), hundredths).ptr;
  return {digits.data(), end};
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + number(value) + "\"";
}

std::string_view name_of(Ink ink) {
  constexpr std::array<std::string_view, 6> names{"text", "faint", "accent", "good", "bad", "card"};
  return names[static_cast<std::size_t>(ink)];
}

int hue_index(int tint) {
  return tint < 0 ? rank_hues - 1 : tint % rank_hues;
}

// The CSS class of an ink: "r3" for ranks.
std::string class_of(Ink ink, int tint) {
  return ink == Ink::rank ? "r" + std::to_string(hue_index(tint)) : std::string(name_of(ink));
}

std::string tooltip_of(std::string_view words) {
  return words.empty() ? "" : "<title>" + escaped(words) + "</title>";
}

std::string rectangle(const Box& box, const std::string& attributes) {
  const double corner = std::min({3.0, box.width / 4, box.height / 4});
  return "<rect" + attribute("x", box.x) + attribute("y", box.y) + attribute("width", std::max(0.0, box.width)) +
         attribute("height", std::max(0.0, box.height)) + attribute("rx", std::max(0.0, corner)) + attributes + "/>";
}

std::string label_of(const Box& box, const std::string& ink) {
  const int letters = columns_of(box.label);
  if (letters == 0) return {};
  const double size = std::min({largest_label, (box.width - 3) / (letter_width * letters), box.height * 0.8});
  if (size < smallest_label) return {};
  // On a hatch, words need a ground of their own.
  const bool plain = box.pattern == Pattern::outlined || box.weight < 0.5;
  std::string out;
  if (box.pattern == Pattern::hatched) {
    const double width = std::min(box.width, letters * letter_width * size + 4), height = size + 2;
    out = rectangle({box.x + (box.width - width) / 2, box.y + (box.height - height) / 2, width, height},
                    " class=\"f-" + ink + "\"");
  }
  return out + "<text" + attribute("x", box.x + box.width / 2) + attribute("y", box.y + box.height / 2 + size * 0.35) +
         attribute("font-size", size) + " text-anchor=\"middle\" class=\"" +
         (plain ? std::string("f-text") : "l-" + ink) + "\">" + escaped(box.label) + "</text>";
}

std::string element(const Box& box) {
  const std::string ink = class_of(box.ink, box.tint);
  const std::string strength = box.weight < 1 ? attribute("fill-opacity", box.weight) : "";
  std::string shape;
  if (box.pattern == Pattern::outlined) {
    shape = rectangle(box, " class=\"o-" + ink + "\"");
  } else {
    shape = rectangle(box, " class=\"f-" + ink + "\"" + strength);
    if (box.pattern == Pattern::hatched) shape += rectangle(box, " class=\"hatch\"");
  }
  return "<g>" + tooltip_of(box.tooltip) + shape + label_of(box, ink) + "</g>\n";
}

std::string dashes(Stroke stroke) {
  return stroke == Stroke::dashed ? " stroke-dasharray=\"5 4\"" : "";
}

std::string element(const Line& line) {
  return "<line" + attribute("x1", line.x0) + attribute("y1", line.y0) + attribute("x2", line.x1) +
         attribute("y2", line.y1) + " class=\"s-" + class_of(line.ink, 0) + "\"" + dashes(line.stroke) + "/>\n";
}

std::string point(double x, double y) {
  return number(x) + " " + number(y);
}

std::string element(const Arrow& arrow) {
  constexpr double head_length = 9, head_half_width = 4.5;
  const double dx = arrow.x1 - arrow.x0, dy = arrow.y1 - arrow.y0, length = std::hypot(dx, dy);
  if (length == 0) return {};
  // The control point of the curve: twice as far out as its middle.
  const double cx = (arrow.x0 + arrow.x1) / 2 + 2 * arrow.bend * dy / length;
  const double cy = (arrow.y0 + arrow.y1) / 2 - 2 * arrow.bend * dx / length;
  const double reach = std::max(1e-9, std::hypot(arrow.x1 - cx, arrow.y1 - cy));
  const double ux = (arrow.x1 - cx) / reach, uy = (arrow.y1 - cy) / reach;
  const double bx = arrow.x1 - head_length * ux, by = arrow.y1 - head_length * uy;
  const std::string ink = class_of(arrow.ink, arrow.tint);
  return "<g>" + tooltip_of(arrow.tooltip) + "<path d=\"M" + point(arrow.x0, arrow.y0) + " Q" + point(cx, cy) + " " +
         point(bx, by) + "\" class=\"a-" + ink + "\"" + dashes(arrow.stroke) + "/><path d=\"M" +
         point(arrow.x1, arrow.y1) + " L" + point(bx - head_half_width * uy, by + head_half_width * ux) + " L" +
         point(bx + head_half_width * uy, by - head_half_width * ux) + " Z\" class=\"f-" + ink + "\"/></g>\n";
}

std::string element(const Text& text) {
  constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
  return "<text" + attribute("x", text.x) + attribute("y", text.y) + attribute("font-size", text.size) +
         " text-anchor=\"" + std::string(anchors[static_cast<std::size_t>(text.align)]) + "\" class=\"f-" +
         class_of(text.ink, 0) + "\">" + escaped(text.words) + "</text>\n";
}

std::string rules(const std::string& ink, std::string_view colour, std::string_view label) {
  const std::string c(colour);
  return ".f-" + ink + "{fill:" + c + "}.o-" + ink + "{fill:" + c + ";fill-opacity:.04;stroke:" + c +
         ";stroke-opacity:.6}.s-" + ink + "{stroke:" + c + "}.a-" + ink + "{stroke:" + c +
         ";fill:none;stroke-width:2.5}.l-" + ink + "{fill:" + std::string(label) + "}\n";
}

enum class Ground { light, dark };

std::string theme(Ground ground) {
  const auto rules_of = [&](const std::string& name, const Hue& hue) {
    return ground == Ground::light ? rules(name, hue.light, hue.light_label) : rules(name, hue.dark, hue.dark_label);
  };
  std::string out = ".ground{fill:" + std::string(ground == Ground::light ? light_ground : dark_ground) + "}\n";
  for (const Ink ink : {Ink::text, Ink::faint, Ink::accent, Ink::good, Ink::bad, Ink::card}) {
    out += rules_of(std::string(name_of(ink)), hue_of(ink));
  }
  for (int i = 0; i < rank_hues; ++i) out += rules_of("r" + std::to_string(i), hue_of(Ink::rank, i));
  return out;
}

std::string pattern_element() {
  return "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><rect width=\"3\" height=\"6\" class=\"ground\" fill-opacity=\".62\"/>"
         "</pattern></defs>\n";
}

std::string opening(const Picture& picture) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rs\" role=\"img\"" + attribute("width", picture.width) +
         attribute("height", picture.height) + " viewBox=\"0 0 " + point(picture.width, picture.height) + "\">\n" +
         "<title>" + escaped(picture.title) + "</title>\n" +
         (picture.summary.empty() ? "" : "<desc>" + escaped(picture.summary) + "</desc>\n");
}

std::string contents(const Picture& picture) {
  std::string out = rectangle({.width = picture.width, .height = picture.height}, " class=\"ground\"") + "\n";
  for (const Line& line : picture.lines) out += element(line);
  for (const Arrow& arrow : picture.arrows) out += element(arrow);
  for (const Box& box : picture.boxes) out += element(box);
  for (const Text& text : picture.texts) out += element(text);
  return out + "</svg>\n";
}

}  // namespace

std::string escaped(std::string_view words) {
  std::string out;
  for (const char c : words) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        const auto code = static_cast<unsigned char>(c);
        const bool forbidden = code < 0x20 && c != '\t' && c != '\n' && c != '\r';
        out += forbidden ? std::string("\xef\xbf\xbd") : std::string(1, c);
      }
    }
  }
  return out;
}

std::string svg_style() {
  return ".rs text{font-family:system-ui,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
         "font-variant-numeric:tabular-nums}.hatch{fill:url(#hatch)}\n" +
         theme(Ground::light) + "@media (prefers-color-scheme:dark){\n" + theme(Ground::dark) + "}\n";
}

std::string svg_hatches() {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" aria-hidden=\"true\">" +
         pattern_element() + "</svg>\n";
}

std::string svg_element(const Picture& picture) {
  return opening(picture) + contents(picture);
}

std::string to_svg(const Picture& picture) {
  return opening(picture) + "<style>\n" + svg_style() + "</style>\n" + pattern_element() + contents(picture);
}

}  // namespace ringscope
