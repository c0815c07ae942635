// Custom layout files: `rank R q|kv begin:count:stride:width ...`, one line per block and side, blocks in order.
#include <charconv>
#include <string>

#include "core/error.h"
#include "core/layout.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_positions = std::int64_t{1} << 40;

struct Cursor {
  std::string_view line;
  std::size_t at = 0;
  int number = 1;

  [[noreturn]] void refuse(std::string got, std::string want) const {
    throw Error(ErrorKind::bad_file, got + " at line " + std::to_string(number) + ", column " + std::to_string(at + 1),
                std::move(want));
  }
  void skip_spaces() {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
  }
  bool done() {
    skip_spaces();
    return at == line.size();
  }
  std::string_view word() {
    skip_spaces();
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != '\r') ++at;
    const std::string_view w = line.substr(begin, at - begin);
    if (w.empty()) refuse("end of line", "`rank R q|kv begin:count:stride:width ...`");
    return w;
  }
};

std::int64_t whole_number(Cursor& c, std::string_view text, const char* want) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most_positions) {
    c.refuse("`" + std::string(text) + "`", want);
  }
  return value;
}

Range parse_range(Cursor& c, std::string_view text) {
  std::int64_t field[4] = {};
  std::string_view rest = text;
  for (int i = 0; i < 4; ++i) {
    const std::size_t colon = rest.find(':');
    if ((colon == std::string_view::npos) != (i == 3))
      c.refuse("`" + std::string(text) + "`", "begin:count:stride:width");
    field[i] = whole_number(c, rest.substr(0, colon), "four whole numbers begin:count:stride:width");
    if (i < 3) rest.remove_prefix(colon + 1);
  }
  const Range r{field[0], field[1], field[2], field[3]};
  if (r.width > 0 && r.count > most_positions / r.width)
    c.refuse("`" + std::string(text) + "`", "fewer than 2^40 positions");
  if (r.count > 1 && r.stride < r.width) c.refuse("`" + std::string(text) + "`", "stride >= width when count > 1");
  if (r.count > 1 && r.stride > most_positions / r.count)
    c.refuse("`" + std::string(text) + "`", "positions below 2^40");
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
    Cursor c{text.substr(0, end), 0, number};
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (c.done() || c.line[c.at] == '#') continue;
    if (c.word() != "rank") c.refuse("another word", "a line that begins with `rank`");
    const std::int64_t rank = whole_number(c, c.word(), "a rank number");
    if (rank >= ranks) c.refuse("rank " + std::to_string(rank), "a rank below " + std::to_string(ranks));
    const std::string_view side = c.word();
    if (side != "q" && side != "kv") c.refuse("`" + std::string(side) + "`", "`q` or `kv`");
    std::vector<Range> ranges;
    std::int64_t rows = 0;
    while (!c.done()) {
      ranges.push_back(parse_range(c, c.word()));
      rows += ranges.back().size();
      if (rows > most_positions) c.refuse("more rows than can be counted", "fewer than 2^40 positions in a block");
    }
    (side == "q" ? q : kv)[static_cast<std::size_t>(rank)].emplace_back(std::move(ranges));
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
