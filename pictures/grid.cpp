#include "pictures/grid.h"

#include <algorithm>

#include "pictures/frame.h"

namespace ringscope {

namespace {

constexpr int most_rows = 64, gap_columns = 2, widest_name = 24;

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string cell(const std::vector<std::string>& row, int column) {
  return column < 0 ? "…" : at(column) < row.size() ? row[at(column)] : "";
}

int columns_needed(const Grid& grid, int column) {
  int n = columns_of(cell(grid.header, column));
  for (const std::vector<std::string>& row : grid.rows) n = std::max(n, columns_of(cell(row, column)));
  return n;
}

// The columns of figures, all as wide as the widest, that fit in `room`; -1 stands for those left out.
struct Figures {
  int width = 1;
  std::vector<int> columns;
};

Figures figures_of(const Grid& grid, int room) {
  const int n = static_cast<int>(grid.header.size()) - 1;
  Figures out;
  for (int c = 1; c <= n; ++c) out.width = std::max(out.width, columns_needed(grid, c));
  out.width = std::min(out.width, room - gap_columns);
  for (const int c : shown(n, std::max(1, room / (out.width + gap_columns)))) out.columns.push_back(c < 0 ? c : c + 1);
  return out;
}

}  // namespace

Sheet write(const Grid& grid) {
  Sheet sheet;
  if (!grid.title.empty()) sheet.say(grid.title, Ink::accent);
  const int name = std::min(widest_name, columns_needed(grid, 0));
  const Figures figures = figures_of(grid, sheet_columns - name);
  const auto line = [&](const std::vector<std::string>& row, Ink ink) {
    SheetLine out{{fit(cell(row, 0), name), ink}};
    for (const int c : figures.columns) {
      out.push_back({repeated(" ", gap_columns) + fit(cell(row, c), figures.width, Align::right), ink});
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
  double width = 0, height = 0;
  for (const Grid& grid : grids) {
    const int name = columns_needed(grid, 0);
    const Figures figures = figures_of(grid, room - name);
    width =
        std::max(width, name * letter + static_cast<double>(figures.columns.size()) * (figures.width * letter + gap));
    const int rows = static_cast<int>(shown(static_cast<int>(grid.rows.size()), most_rows).size());
    height += (rows + 2) * row_height + between;
  }
  Picture p = framed(std::move(title), std::move(summary), width, height);
  double y = frame_top + 12;
  for (const Grid& grid : grids) {
    const int name = columns_needed(grid, 0);
    const Figures figures = figures_of(grid, room - name);
    const auto line = [&](const std::vector<std::string>& row, Ink ink) {
      double x = frame_margin + name * letter;
      p.texts.push_back({frame_margin, y, cell(row, 0), Align::left, ink, size});
      for (const int c : figures.columns) {
        x += figures.width * letter + gap;
        p.texts.push_back({x, y, cell(row, c), Align::right, ink, size});
      }
      y += row_height;
    };
    p.texts.push_back({frame_margin, y, grid.title, Align::left, Ink::accent, 13});
    y += row_height;
    line(grid.header, Ink::faint);
    p.lines.push_back({frame_margin, y - row_height + 5, frame_margin + width, y - row_height + 5});
    for (const int r : shown(static_cast<int>(grid.rows.size()), most_rows)) {
      line(r < 0 ? std::vector<std::string>{"…"} : grid.rows[at(r)], Ink::text);
    }
    y += between;
  }
  return p;
}

}  // namespace ringscope
