// A merge done by hand: the attention of each KV block alone, then any rule to put them together, right or wrong.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "tests/catalogue/exhibit.h"

namespace ringscope {

// One row after some blocks, normalised: what a block kernel hands to a merge.
struct RowPartial {
  double lse = -std::numeric_limits<double>::infinity();
  std::vector<double> o;  // [Dv]

  bool is_empty() const { return lse == -std::numeric_limits<double>::infinity(); }
};

// How a row takes in what the next block has.
using Join = std::function<void(RowPartial& here, const RowPartial& from)>;
// What becomes of a partial between the kernel and the merge; block counts from 0.
using HandOver = std::function<void(RowPartial& partial, int block)>;

inline void mix(RowPartial& here, const RowPartial& from, double weight_of_from) {
  for (std::size_t d = 0; d < here.o.size(); ++d) here.o[d] += weight_of_from * (from.o[d] - here.o[d]);
}

// The law (docs/math.md): an empty side changes nothing; no exponent is positive.
inline void join_rightly(RowPartial& here, const RowPartial& from) {
  if (from.is_empty()) return;
  if (here.is_empty()) {
    here = from;
    return;
  }
  const double gap = from.lse - here.lse;
  mix(here, from, gap > 0 ? 1 / (1 + std::exp(-gap)) : std::exp(gap) / (1 + std::exp(gap)));
  here.lse = std::max(from.lse, here.lse) + std::log1p(std::exp(-std::abs(gap)));
}

struct Merging {
  std::vector<std::int64_t> begins;  // block n holds keys [begins[n], begins[n + 1]), the last one the rest
  HandOver hand_over = [](RowPartial&, int) {};
  Join join = join_rightly;
};

// Blocks of one size.
inline std::vector<std::int64_t> blocks_of(std::int64_t len, std::int64_t size) {
  std::vector<std::int64_t> begins;
  for (std::int64_t begin = 0; begin < len; begin += size) begins.push_back(begin);
  return begins;
}

// O and LSE of the exhibit's problem, merged so; o rounded to the problem's type in the end, as Finish does.
Outputs merged(const Exhibit& exhibit, const Merging& merging);

}  // namespace ringscope
