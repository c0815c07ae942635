// The softmax weight of one pair, by the oracle's arithmetic, one row at a time.
#pragma once
#include <cstdint>

#include "core/data.h"
#include "core/problem.h"

namespace ringscope {

struct PairAt {
  std::int64_t batch = 0, head = 0;  // query head
  std::int64_t i = 0, j = 0;         // global positions of query and key
};

struct PairWeight {
  bool allowed = false;      // by the mask; else all else is 0
  double score = 0;          // after all score terms
  double weight = 0;         // exp(score - LSE of the row), before dropout
  double kept = 1;           // dropout's factor: 0 when dropped, else 1 / (1 - probability)
  std::int64_t heavier = 0;  // how many keys of the row weigh more
  std::int64_t keys = 0;     // that the row sees
};

PairWeight pair_weight(const Problem& problem, const Inputs& inputs, const PairAt& pair);

}  // namespace ringscope
