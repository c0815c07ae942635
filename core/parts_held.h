// What a State, dQ or dKV is made of, on every rank after every step: the schedule followed without numbers.
#pragma once
#include <optional>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// One attend's share: this query block and head with this KV block.
struct Part {
  int q_block = 0, q_head = 0, kv_block = 0;
  bool operator==(const Part&) const = default;
};

// One accumulator of one head: State or dQ of a query block and head, dKV of a KV block and head.
struct Accumulator {
  TensorKind tensor = TensorKind::state;
  int block = 0, head = 0;
};

// Absent: the rank holds none. In the order in which they came.
using Parts = std::optional<std::vector<Part>>;
std::vector<std::vector<Parts>> parts_held(const Plan& plan, const Accumulator& accumulator);  // [step][rank]

}  // namespace ringscope
