// The pairs between every two blocks, counted once: what an attend is worth and what an accumulator must gather.
#pragma once
#include <cstdint>
#include <vector>

#include "core/pair_count.h"
#include "core/plan.h"

namespace ringscope {

class TilePairs {
 public:
  explicit TilePairs(const Plan& plan);

  // Allowed pairs of one query head, summed over the batch; 0: nobody need attend here.
  std::int64_t pairs(int q_block, int kv_block) const { return pairs_[index(q_block, kv_block)]; }
  std::size_t index(int q_block, int kv_block) const {
    return static_cast<std::size_t>(q_block) * blocks_ + static_cast<std::size_t>(kv_block);
  }
  std::size_t size() const { return pairs_.size(); }
  // How many blocks of the other side share pairs with this one.
  int partners(Side side, int block) const {
    return (side == Side::q ? kv_of_q_ : q_of_kv_)[static_cast<std::size_t>(block)];
  }

 private:
  std::size_t blocks_;
  std::vector<std::int64_t> pairs_;     // [q block, kv block]
  std::vector<int> kv_of_q_, q_of_kv_;  // [block]
};

}  // namespace ringscope
