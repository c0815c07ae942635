// One attention cut into blocks and given to a kernel, attend by attend; and the same in long double without blocks.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/kernel.h"
#include "core/data.h"
#include "core/layout.h"
#include "core/problem.h"

namespace ringscope::cpu {

struct Cut {
  std::string layout = "zigzag";
  int ranks = 2, blocks_per_rank = 1;
  int kv_blocks_per_attend = 1;  // the State goes on from attend to attend
};

struct Attended {
  Outputs outputs;
  RowEvents events;
};

// Values whose scores spread over a few units; the same on every machine.
Inputs some_inputs(const Problem& problem, std::uint64_t seed = 1);
// K and V that no query of their batch item may see become NaN.
void poison_unseen_keys(const Problem& problem, Inputs& inputs);

template <class Real>
Attended attend_whole(const Kernel<Real>& kernel, const Problem& problem, const Cut& cut, const Inputs& inputs);

// The sums with every term replaced by its absolute value come along: what an error is measured against.
struct Dense {
  Outputs value, magnitude;
};
Dense attend_dense(const Problem& problem, const Inputs& inputs);

template <class Real>
std::unique_ptr<Kernel<Real>> make_kernel(std::string_view name, const KernelOptions& options = {});

}  // namespace ringscope::cpu
