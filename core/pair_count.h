// How many (query, key) pairs the mask leaves between blocks: exact integers, without visiting pairs.
#pragma once
#include <cstdint>
#include <vector>

#include "core/layout.h"
#include "core/problem.h"

namespace ringscope {

enum class Tile : std::uint8_t { empty, full, partial };

class PairCounter {
 public:
  // Keeps references: problem and layout must outlive it.
  PairCounter(const Problem& problem, const Layout& layout);

  // Allowed pairs of one query head between two blocks, summed over the batch.
  std::int64_t pairs(int q_block, int kv_block) const;
  Tile tile(int q_block, int kv_block) const;

 private:
  std::int64_t pairs_of_item(std::int64_t batch, const BlockRows& q, const BlockRows& kv) const;

  const Problem& problem_;
  const Layout& layout_;
  MaskRows mask_;
};

// Allowed pairs of one query head over the whole problem, summed over the batch.
std::int64_t total_pairs(const Problem& problem);

// Whether some query sees no key.
bool has_empty_rows(const Problem& problem);

}  // namespace ringscope
