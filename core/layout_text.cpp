// Custom layout files: `rank R q|kv begin:count:stride:width ...`, one line per block and side, blocks in order.
#include <array>
#include <string>

#include "core/error.h"
#include "core/layout.h"
#include "core/numbers.h"
#include "core/text_line.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_positions = std::int64_t{1} << 40;

Range parse_range(TextLine& line) {
  const std::string_view text = line.word();
  const auto refuse = [&](const char* want) { line.refuse("`" + std::string(text) + "`", want); };
  std::array<std::int64_t, 4> field{};
  std::optional<std::string_view> rest = text;
  for (std::int64_t& value : field) {
    if (!rest) refuse("begin:count:stride:width");
    const Halves halves = split_at(*rest, ':');
    const auto number = whole_number(halves.before);
    if (!number || *number < 0 || *number > most_positions) refuse("four whole numbers begin:count:stride:width");
    value = *number;
    rest = halves.behind;
  }
  if (rest) refuse("begin:count:stride:width");
  const Range r{field[0], field[1], field[2], field[3]};
  if (r.width > 0 && r.count > most_positions / r.width) refuse("fewer than 2^40 positions");
  if (r.count > 1 && r.stride < r.width) refuse("stride >= width when count > 1");
  if (r.count > 1 && r.stride > most_positions / r.count) refuse("positions below 2^40");
  return r;
}

std::string text_of(const Range& r) {
  return std::to_string(r.begin) + ":" + std::to_string(r.count) + ":" + std::to_string(r.stride) + ":" +
         std::to_string(r.width);
}

}  // namespace

std::string layout_text(const Layout& layout) {
  std::string out;
  for (const Side side : {Side::q, Side::kv}) {
    for (int b = 0; b < layout.blocks(); ++b) {
      out += "rank " + std::to_string(layout.owner(b)) + (side == Side::q ? " q" : " kv");
      for (const Range& r : layout.block(side, b).ranges()) out += " " + text_of(r);
      out += "\n";
    }
  }
  return out;
}

Layout parse_layout_text(std::string_view text, int ranks) {
  std::vector<std::vector<BlockRows>> q(static_cast<std::size_t>(ranks)), kv = q;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    TextLine line(text.substr(0, end), number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.done() || line.begins_with('#')) continue;
    line.expect("rank");
    const std::int64_t rank = line.whole(0, ranks - 1, "a rank");
    static constexpr std::array<std::string_view, 2> sides{"q", "kv"};
    const std::size_t side = line.choose(sides);
    std::vector<Range> ranges;
    std::int64_t rows = 0;
    while (!line.done()) {
      ranges.push_back(parse_range(line));
      rows += ranges.back().size();
      if (rows > most_positions) line.refuse("more rows than can be counted", "fewer than 2^40 positions in a block");
    }
    (side == 0 ? q : kv)[static_cast<std::size_t>(rank)].emplace_back(std::move(ranges));
  }
  Layout layout;
  layout.ranks = ranks;
  layout.blocks_per_rank = static_cast<int>(q.front().size());
  for (auto* side : {&q, &kv}) {
    for (std::size_t r = 0; r < side->size(); ++r) {
      const auto& blocks = (*side)[r];
      if (blocks.empty() || blocks.size() > 2 || static_cast<int>(blocks.size()) != layout.blocks_per_rank) {
        throw Error(ErrorKind::bad_file,
                    "rank " + std::to_string(r) + " with " + std::to_string(blocks.size()) + " lines",
                    "one line (or two) per rank and side, the same number for all ranks");
      }
      auto& out = side == &q ? layout.q : layout.kv;
      out.insert(out.end(), blocks.begin(), blocks.end());
    }
  }
  return layout;
}

}  // namespace ringscope
