#include "pictures/layout_strip.h"

#include <algorithm>

#include "core/index.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

// The runs of consecutive positions of one block, in local order.
std::vector<Stretch> runs_of(const Layout& layout, Side side, int block) {
  std::vector<Stretch> out;
  for (const Range& range : layout.block(side, block).ranges()) {
    for (std::int64_t a = 0; a < range.count; ++a) {
      const std::int64_t begin = range.begin + a * range.stride;
      if (!out.empty() && out.back().end == begin) {
        out.back().end += range.width;
      } else {
        out.push_back({begin, begin + range.width, block, layout.owner(block)});
      }
    }
  }
  return out;
}

LayoutStrip::OneSide make_side(const Layout& layout, Side side) {
  LayoutStrip::OneSide out;
  out.side = side;
  out.stretches = stretches_of(layout, side);
  out.len = out.stretches.empty() ? 0 : out.stretches.back().end;
  out.rows.resize(at(layout.ranks));
  for (int b = 0; b < layout.blocks(); ++b) {
    for (const Stretch& s : runs_of(layout, side, b)) out.rows[at(layout.owner(b))].push_back(s);
  }
  return out;
}

}  // namespace

std::vector<Stretch> stretches_of(const Layout& layout, Side side) {
  std::vector<Stretch> all;
  for (int b = 0; b < layout.blocks(); ++b) {
    const std::vector<Stretch> runs = runs_of(layout, side, b);
    all.insert(all.end(), runs.begin(), runs.end());
  }
  std::sort(all.begin(), all.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> out;
  for (const Stretch& s : all) {
    if (!out.empty() && out.back().end == s.begin && out.back().block == s.block) {
      out.back().end = s.end;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

LayoutStrip make_layout_strip(const Layout& layout) {
  LayoutStrip strip;
  strip.ranks = layout.ranks;
  strip.blocks_per_rank = layout.blocks_per_rank;
  strip.sides.push_back(make_side(layout, Side::q));
  if (layout.q == layout.kv) {
    strip.sides.back().both = true;
  } else {
    strip.sides.push_back(make_side(layout, Side::kv));
  }
  return strip;
}

std::string heading_of(const LayoutStrip::OneSide& side, std::int64_t drawn) {
  const std::string who = side.both ? "queries and keys" : side.side == Side::q ? "queries" : "keys and values";
  const std::string cut = drawn == side.len ? "" : ": the first " + grouped(drawn) + " are shown";
  return who + ", " + counted(side.len, "position") + cut;
}

std::string range_of(const Stretch& s) {
  return s.size() == 1 ? std::to_string(s.begin) : std::to_string(s.begin) + "-" + std::to_string(s.end - 1);
}

std::int64_t rows_of(const std::vector<Stretch>& list) {
  std::int64_t n = 0;
  for (const Stretch& s : list) n += s.size();
  return n;
}

}  // namespace ringscope
