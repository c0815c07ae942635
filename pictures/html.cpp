#include "pictures/html.h"

#include "pictures/palette.h"
#include "pictures/svg.h"

namespace ringscope {

namespace {

std::string page_style() {
  return std::string(
             ":root{color-scheme:light dark}body{margin:2rem auto;max-width:60rem;padding:0 1rem;"
             "font:16px/1.5 system-ui,'Helvetica Neue',Arial,sans-serif;color:#1b1f24;background:#fff}"
             "pre,code{font:13px/1.35 ui-monospace,'DejaVu Sans Mono',Consolas,monospace}pre{overflow-x:auto}"
             "h1{margin-bottom:.2rem}h2{margin-top:2.5rem}figure{margin:1rem 0;overflow-x:auto}"
             "svg{max-width:100%;height:auto}\n") +
         "@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:" + std::string(dark_ground) + "}}\n";
}

// Words take their colour from `color`, shapes theirs from `fill`.
std::string ink_rules() {
  const auto rule = [](const std::string& name, std::string_view colour) {
    return ".i-" + name + "{color:" + std::string(colour) + "}";
  };
  std::string light, dark;
  const auto add = [&](const std::string& name, const Hue& hue) {
    light += rule(name, hue.light);
    dark += rule(name, hue.dark);
  };
  add("faint", hue_of(Ink::faint));
  add("accent", hue_of(Ink::accent));
  add("good", hue_of(Ink::good));
  add("bad", hue_of(Ink::bad));
  for (int i = 0; i < rank_hues; ++i) add("r" + std::to_string(i), hue_of(Ink::rank, i));
  return light + "\n@media (prefers-color-scheme:dark){" + dark + "}\n";
}

std::string ink_class(const Span& span) {
  switch (span.ink) {
    case Ink::faint:
      return "i-faint";
    case Ink::accent:
      return "i-accent";
    case Ink::good:
      return "i-good";
    case Ink::bad:
      return "i-bad";
    case Ink::rank:
      return "i-r" + std::to_string(span.tint < 0 ? rank_hues - 1 : span.tint % rank_hues);
    case Ink::text:
    case Ink::card:
      break;
  }
  return {};
}

std::string preformatted(const Sheet& sheet) {
  std::string out = "<pre>";
  for (const SheetLine& line : sheet.lines) {
    for (const Span& span : line) {
      const std::string ink = ink_class(span);
      out += ink.empty() ? escaped(span.words) : "<span class=\"" + ink + "\">" + escaped(span.words) + "</span>";
    }
    out += "\n";
  }
  return out + "</pre>\n";
}

std::string section_element(const Section& section) {
  std::string out = "<section>\n<h2>" + escaped(section.heading) + "</h2>\n";
  if (!section.words.empty()) out += "<p>" + escaped(section.words) + "</p>\n";
  for (const Picture& picture : section.pictures) out += "<figure>" + svg_element(picture) + "</figure>\n";
  for (const Sheet& sheet : section.sheets) out += preformatted(sheet);
  return out + "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n<title>" +
      escaped(page.title) + "</title>\n<style>\n" + page_style() + svg_style() + ink_rules() +
      "</style>\n</head>\n<body>\n" + svg_hatches() + "<h1>" + escaped(page.title) + "</h1>\n<p><code>" +
      escaped(page.subtitle) + "</code></p>\n";
  for (const Section& section : page.sections) out += section_element(section);
  return out + "</body>\n</html>\n";
}

}  // namespace ringscope
