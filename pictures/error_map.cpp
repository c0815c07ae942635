#include "pictures/error_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

bool is_wrong(double ratio) {
  return !(ratio <= 1);
}

// 0 (none) to 1 (just allowed), by decades: 1/1000 of what is allowed is hardly seen.
double strength(double ratio) {
  constexpr double decades = 3;
  return ratio > 0 ? std::clamp(1 + std::log10(ratio) / decades, 0.05, 1.0) : 0;
}

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

std::string ratio_in_words(double ratio) {
  if (!std::isfinite(ratio)) return "not finite where it should be";
  if (ratio == 0) return "exact";
  if (ratio <= 1) return fixed(ratio, 3) + " of what is allowed";
  return (ratio < 1000 ? fixed(ratio, 1) : scientific(ratio)) + " times what is allowed";
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
        const bool wrong = is_wrong(ratio);
        p.boxes.push_back({.x = frame_margin + heading + static_cast<double>(c) * cell,
                           .y = y + 1,
                           .width = cell - (cell > 4 ? 1 : 0),
                           .height = head_height - 2,
                           .ink = wrong ? Ink::bad : Ink::accent,
                           .pattern = wrong ? Pattern::hatched : Pattern::solid,
                           .weight = wrong ? 1 : 0.06 + 0.9 * strength(ratio),
                           .tooltip = map.name + ", head " + std::to_string(h) + ", " + rows_in_words(c, by, map.rows) +
                                      ": " + ratio_in_words(ratio)});
      }
      y += head_height;
    }
    y += between - 22;
  }
  add_legend(p, frame_margin + heading, y + 4,
             {{{.ink = Ink::accent, .weight = 0.06}, "exact"},
              {{.ink = Ink::accent, .weight = 0.96}, "just allowed"},
              {{.ink = Ink::bad, .pattern = Pattern::hatched}, "wrong"}});
  widen_to_words(p);
  return p;
}

Sheet write(const std::vector<ErrorMap>& maps) {
  constexpr int heading = 6, columns = sheet_columns - heading;
  constexpr std::array<std::string_view, 5> shades{"·", "░", "▒", "▓", "█"};
  Sheet sheet;
  for (const ErrorMap& map : maps) {
    const ErrorMap cells = pooled(map, columns);
    sheet.say(sentence_of(map), Ink::accent);
    for (const int h : shown(static_cast<int>(map.heads), most_heads)) {
      SheetLine line{{fit(h < 0 ? "…" : "h" + std::to_string(h), heading - 1, Align::right) + " ", Ink::faint}};
      for (std::int64_t c = 0; h >= 0 && c < cells.rows; ++c) {
        const double ratio = cells.ratios[at(h * cells.rows + c)];
        const auto shade = static_cast<std::size_t>(std::lround(4 * strength(ratio)));
        line.push_back(is_wrong(ratio) ? Span{"!", Ink::bad} : Span{std::string(shades[shade]), Ink::accent});
      }
      sheet.add(std::move(line));
    }
  }
  sheet.say("rows across; · far below what is allowed ... █ just allowed, ! wrong", Ink::faint);
  return sheet;
}

}  // namespace ringscope
