// The oracle for long sequences: fp64 in tiles, one KV head a thread. Equal to core/oracle.h but for rounding.
#pragma once
#include "core/data.h"
#include "core/problem.h"

namespace ringscope {

// Gradients when the problem has a backward, but not the sink logit's.
Outputs blocked_oracle(const Problem& problem, const Inputs& inputs, int threads);

}  // namespace ringscope
