#include "pictures/error_map.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/ratio_shade.h"

namespace ringscope {

namespace {

struct Worst {
  std::int64_t head = -1, row = -1;
  double ratio = 0;
};

Worst worst_of(const ErrorMap& map) {
  Worst worst;
  for (std::int64_t h = 0; h < map.heads; ++h) {
    for (std::int64_t r = 0; r < map.rows; ++r) {
      const double ratio = map.ratios[at(h * map.rows + r)];
      const bool worse = ratio > worst.ratio || (std::isnan(ratio) && !std::isnan(worst.ratio));
      if (worst.head < 0 || worse) worst = {h, r, ratio};
    }
  }
  return worst;
}

std::string sentence_of(const ErrorMap& map) {
  const Worst worst = worst_of(map);
  if (worst.head < 0) return map.name + ": no rows";
  if (worst.ratio == 0) return map.name + ": exact in every row";
  return map.name + ": worst at head " + std::to_string(worst.head) + ", row " + std::to_string(worst.row) + ": " +
         ratio_in_words(worst.ratio);
}

std::string rows_in_words(std::int64_t column, std::int64_t per_column, std::int64_t rows) {
  const std::int64_t first = column * per_column, last = std::min(rows, first + per_column) - 1;
  return first == last ? "row " + std::to_string(first) : "rows " + std::to_string(first) + "-" + std::to_string(last);
}

std::int64_t rows_per_column(std::int64_t rows, std::int64_t most) {
  return std::max<std::int64_t>(1, (rows + most - 1) / most);
}

constexpr int most_heads = 64;

}  // namespace

ErrorMap pooled(const ErrorMap& map, std::int64_t most) {
  const std::int64_t by = rows_per_column(map.rows, most);
  ErrorMap out{map.name, map.heads, (map.rows + by - 1) / by, {}};
  out.ratios.resize(at(out.heads * out.rows));
  for (std::int64_t h = 0; h < map.heads; ++h) {
    for (std::int64_t r = 0; r < map.rows; ++r) {
      const double ratio = map.ratios[at(h * map.rows + r)];
      double& most_so_far = out.ratios[at(h * out.rows + r / by)];
      if (std::isnan(ratio) || ratio > most_so_far) most_so_far = std::isnan(most_so_far) ? most_so_far : ratio;
    }
  }
  return out;
}

Picture draw(const std::vector<ErrorMap>& maps) {
  constexpr double heading = 64, width = 720, head_height = 16, between = 44;
  constexpr std::int64_t most_columns = 180;
  double height = 24;
  for (const ErrorMap& map : maps) {
    height += between + head_height * static_cast<double>(shown(static_cast<int>(map.heads), most_heads).size());
  }
  Picture p = framed("Errors against the oracle",
                     "Heads down, rows across; the stronger, the closer to what is allowed.", heading + width, height);
  double y = frame_top;
  for (const ErrorMap& map : maps) {
    const ErrorMap cells = pooled(map, most_columns);
    const std::int64_t by = rows_per_column(map.rows, most_columns);
    p.texts.push_back({frame_margin, y + 14, sentence_of(map), Align::left, Ink::text, 13});
    y += 22;
    const double cell = std::min(20.0, width / static_cast<double>(std::max<std::int64_t>(1, cells.rows)));
    for (const int h : shown(static_cast<int>(map.heads), most_heads)) {
      p.texts.push_back({frame_margin + heading - 8, y + 12, h < 0 ? "…" : "head " + std::to_string(h), Align::right,
                         Ink::faint, 11});
      for (std::int64_t c = 0; h >= 0 && c < cells.rows; ++c) {
        const double ratio = cells.ratios[at(h * cells.rows + c)];
        Box box = ratio_box(ratio);
        box.x = frame_margin + heading + static_cast<double>(c) * cell;
        box.y = y + 1;
        box.width = cell - (cell > 4 ? 1 : 0);
        box.height = head_height - 2;
        box.tooltip = map.name + ", head " + std::to_string(h) + ", " + rows_in_words(c, by, map.rows) + ": " +
                      ratio_in_words(ratio);
        p.boxes.push_back(std::move(box));
      }
      y += head_height;
    }
    y += between - 22;
  }
  add_legend(p, frame_margin + heading, y + 4, ratio_legend());
  widen_to_words(p);
  return p;
}

Sheet write(const std::vector<ErrorMap>& maps) {
  constexpr int heading = 6, columns = sheet_columns - heading;
  Sheet sheet;
  for (const ErrorMap& map : maps) {
    const ErrorMap cells = pooled(map, columns);
    sheet.say(sentence_of(map), Ink::accent);
    for (const int h : shown(static_cast<int>(map.heads), most_heads)) {
      SheetLine line{{fit(h < 0 ? "…" : "h" + std::to_string(h), heading - 1, Align::right) + " ", Ink::faint}};
      for (std::int64_t c = 0; h >= 0 && c < cells.rows; ++c) {
        line.push_back(ratio_span(cells.ratios[at(h * cells.rows + c)]));
      }
      sheet.add(std::move(line));
    }
  }
  sheet.say("rows across; · far below what is allowed ... █ just allowed, ! wrong", Ink::faint);
  return sheet;
}

}  // namespace ringscope
