#include <algorithm>

#include "core/index.h"
#include "pictures/layout_strip.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

constexpr int strip_columns = 72;

constexpr std::string_view owner_digits = "0123456789abcdefghijklmnopqrstuvwxyz";

// The owner of each column's positions, -1 where it has several; a column is one position or an equal run of them.
std::vector<int> column_owners(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  const std::int64_t per_column = std::max<std::int64_t>(1, (drawn + strip_columns - 1) / strip_columns);
  std::vector<int> owners;
  std::size_t s = 0;
  for (std::int64_t begin = 0; begin < drawn; begin += per_column) {
    while (side.stretches[s].end <= begin) ++s;
    int owner = side.stretches[s].rank;
    const std::int64_t end = std::min(drawn, begin + per_column);
    for (std::size_t k = s; k < side.stretches.size() && side.stretches[k].begin < end; ++k) {
      if (side.stretches[k].rank != owner) owner = -1;
    }
    owners.push_back(owner);
  }
  return owners;
}

// The whole side where most columns have one owner, else as many positions as there are columns.
std::int64_t written_positions(const LayoutStrip::OneSide& side) {
  const std::vector<int> owners = column_owners(side, side.len);
  const auto mixed = std::count(owners.begin(), owners.end(), -1);
  return 2 * mixed > static_cast<std::int64_t>(owners.size()) ? std::min<std::int64_t>(side.len, strip_columns)
                                                              : side.len;
}

SheetLine strip_line(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  SheetLine line{{fit("", 6)}};
  for (const int owner : column_owners(side, drawn)) {
    if (owner < 0) {
      line.push_back({"▒", Ink::faint});
    } else {
      line.push_back(
          {std::string(1, owner_digits[static_cast<std::size_t>(owner) % owner_digits.size()]), Ink::rank, owner});
    }
  }
  return line;
}

SheetLine rank_line(const std::vector<Stretch>& list, int rank) {
  constexpr int heading_columns = 6, number_columns = 14;
  std::string ranges;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string next = (ranges.empty()                                ? ""
                              : i > 0 && list[i].block != list[i - 1].block ? " | "
                                                                            : " ") +
                             range_of(list[i]);
    const int room = sheet_columns - heading_columns - number_columns - (i + 1 < list.size() ? 2 : 0);
    if (columns_of(ranges) + columns_of(next) > room) {
      ranges += " …";
      break;
    }
    ranges += next;
  }
  return {{fit(rank_name(rank), heading_columns - 1, Align::right) + " ", Ink::rank, rank},
          {fit(ranges, sheet_columns - heading_columns - number_columns)},
          {fit(counted(rows_of(list), "row"), number_columns, Align::right), Ink::faint}};
}

}  // namespace

Sheet write(const LayoutStrip& strip) {
  Sheet sheet;
  for (const LayoutStrip::OneSide& side : strip.sides) {
    const std::int64_t drawn = written_positions(side);
    sheet.add({{heading_of(side, drawn), Ink::accent}});
    sheet.add(strip_line(side, drawn));
    for (const int rank : shown(strip.ranks, most_ranks_shown)) {
      sheet.add(rank < 0 ? SheetLine{{"    …", Ink::faint}} : rank_line(side.rows[at(rank)], rank));
    }
  }
  sheet.say(std::string("the strip shows the owner of each position, ranks as 0-9 and a-z; ▒ has several") +
                (strip.blocks_per_rank > 1 ? "; | separates a rank's blocks" : ""),
            Ink::faint);
  return sheet;
}

}  // namespace ringscope
