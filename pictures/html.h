// One self-contained page of pictures and words: no scripts, nothing fetched; to send to somebody.
#pragma once
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct Section {
  std::string heading;
  std::string words;  // a sentence or two above the pictures
  std::vector<Picture> pictures;
  std::vector<Sheet> sheets;  // as preformatted text, in colour
};
struct Page {
  std::string title, subtitle;  // the subtitle in a fixed-width font: the case line
  std::vector<Section> sections;
};

std::string to_html(const Page& page);

}  // namespace ringscope
