// Who owns which tokens: the sequence as a strip of ranks' colours, and each rank's own rows in local order.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/layout.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

// A run of positions [begin, end) in one block.
struct Stretch {
  std::int64_t begin = 0, end = 0;
  int block = 0, rank = 0;
  std::int64_t size() const { return end - begin; }
};

struct LayoutStrip {
  struct OneSide {
    bool both = false;  // the q side stands for both: they are cut alike
    Side side = Side::q;
    std::int64_t len = 0;
    std::vector<Stretch> stretches;          // by position
    std::vector<std::vector<Stretch>> rows;  // [rank], in local order
  };
  std::vector<OneSide> sides;
  int ranks = 0, blocks_per_rank = 1;
};

// By position; neighbours in one block are one stretch.
std::vector<Stretch> stretches_of(const Layout& layout, Side side);

std::string range_of(const Stretch& stretch);  // "8-15"
std::int64_t rows_of(const std::vector<Stretch>& list);
// "queries and keys, 64 positions", and how many of them are drawn where not all are.
std::string heading_of(const LayoutStrip::OneSide& side, std::int64_t drawn);

LayoutStrip make_layout_strip(const Layout& layout);
Picture draw(const LayoutStrip& strip);
Sheet write(const LayoutStrip& strip);

}  // namespace ringscope
