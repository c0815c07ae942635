#include "pictures/grid.h"

#include <algorithm>

#include "core/index.h"
#include "pictures/frame.h"

namespace ringscope {

namespace {

constexpr int most_rows = 64, gap_columns = 2, widest_name = 24;

std::string cell(const std::vector<std::string>& row, int column) {
  return column < 0 ? "…" : at(column) < row.size() ? row[at(column)] : "";
}

int columns_needed(const Grid& grid, int column) {
  int n = columns_of(cell(grid.header, column));
  for (const std::vector<std::string>& row : grid.rows) n = std::max(n, columns_of(cell(row, column)));
  return n;
}

struct Column {
  int index = 0, width = 1;  // index -1 stands for the columns left out
};

// As many columns of figures as fit in `room`, the first and the last ones.
std::vector<Column> figure_columns(const Grid& grid, int room) {
  const int n = static_cast<int>(grid.header.size()) - 1;
  std::vector<int> widths{1};
  for (int c = 1; c <= n; ++c) widths.push_back(columns_needed(grid, c));
  for (int most = n; most >= 1; --most) {
    std::vector<Column> columns;
    int used = 0;
    for (const int c : shown(n, most)) {
      columns.push_back({c < 0 ? c : c + 1, c < 0 ? 1 : widths[at(c + 1)]});
      used += columns.back().width + gap_columns;
    }
    if (used <= room) return columns;
  }
  return {};
}

}  // namespace

Sheet write(const Grid& grid) {
  Sheet sheet;
  if (!grid.title.empty()) sheet.say(grid.title, Ink::accent);
  const int name = std::min(widest_name, columns_needed(grid, 0));
  const std::vector<Column> columns = figure_columns(grid, sheet_columns - name);
  const auto line = [&](const std::vector<std::string>& row, Ink ink) {
    SheetLine out{{fit(cell(row, 0), name), ink}};
    for (const Column& c : columns) {
      out.push_back({repeated(" ", gap_columns) + fit(cell(row, c.index), c.width, Align::right), ink});
    }
    return out;
  };
  sheet.add(line(grid.header, Ink::faint));
  for (const int r : shown(static_cast<int>(grid.rows.size()), most_rows)) {
    sheet.add(r < 0 ? SheetLine{{"…", Ink::faint}} : line(grid.rows[at(r)], Ink::text));
  }
  return sheet;
}

Picture draw(const std::vector<Grid>& grids, std::string title, std::string summary) {
  constexpr double size = 12, row_height = 19, letter = 0.6 * size, gap = 16, between = 26;
  constexpr int room = 130;
  double height = 0;
  for (const Grid& grid : grids) {
    const int rows = static_cast<int>(shown(static_cast<int>(grid.rows.size()), most_rows).size());
    height += (rows + 2) * row_height + between;
  }
  Picture p = framed(std::move(title), std::move(summary), 0, height);
  double y = frame_top + 12;
  for (const Grid& grid : grids) {
    const int name = columns_needed(grid, 0);
    const std::vector<Column> columns = figure_columns(grid, room - name);
    double right = 0;
    const auto line = [&](const std::vector<std::string>& row, Ink ink) {
      double x = frame_margin + name * letter;
      p.texts.push_back({frame_margin, y, cell(row, 0), Align::left, ink, size});
      for (const Column& c : columns) {
        x += c.width * letter + gap;
        p.texts.push_back({x, y, cell(row, c.index), Align::right, ink, size});
      }
      right = x;
      y += row_height;
    };
    p.texts.push_back({frame_margin, y, grid.title, Align::left, Ink::accent, 13});
    y += row_height;
    line(grid.header, Ink::faint);
    p.lines.push_back({frame_margin, y - row_height + 5, right, y - row_height + 5});
    for (const int r : shown(static_cast<int>(grid.rows.size()), most_rows)) {
      line(r < 0 ? std::vector<std::string>{"…"} : grid.rows[at(r)], Ink::text);
    }
    p.width = std::max(p.width, right + frame_margin);
    y += between;
  }
  widen_to_words(p);
  return p;
}

}  // namespace ringscope
