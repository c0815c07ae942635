#include "core/tile_pairs.h"

namespace ringscope {

TilePairs::TilePairs(const Plan& plan)
    : blocks_(static_cast<std::size_t>(plan.layout.blocks())),
      pairs_(blocks_ * blocks_),
      kv_of_q_(blocks_),
      q_of_kv_(blocks_) {
  const PairCounter counter(plan.problem, plan.layout);
  for (int x = 0; x < plan.layout.blocks(); ++x) {
    for (int y = 0; y < plan.layout.blocks(); ++y) {
      const std::int64_t n = counter.pairs(x, y);
      pairs_[index(x, y)] = n;
      if (n == 0) continue;
      ++kv_of_q_[static_cast<std::size_t>(x)];
      ++q_of_kv_[static_cast<std::size_t>(y)];
    }
  }
}

}  // namespace ringscope
