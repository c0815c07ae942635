// Where a run first left the right path: its snapshots against the oracle's State after each step of the clean plan.
#pragma once
#include <optional>
#include <string>

#include "core/execute.h"
#include "core/plan.h"
#include "core/report.h"

namespace ringscope {

struct Difference {
  int rank = 0, step = 0, kv_block = -1;
  std::string sentence;  // "rank 2 differs first at step 1: its State lacks what KV b1 adds"
};

// `failing` names output, batch, head and row; `run` has snapshots. Nothing: all that was held is right, so that only
// the last move or rounding can be wrong.
std::optional<Difference> first_difference(const Plan& clean, const Inputs& inputs, const Outputs& oracle,
                                           const RunResult& run, const Place& failing);

}  // namespace ringscope
