// Between the global tensors outside and the blocks of one rank inside.
#pragma once
#include "backends/cpu/store.h"
#include "backends/cpu/turning.h"
#include "core/data.h"

namespace ringscope::cpu {

// Puts this rank's own blocks of Q, KV and, when the schedule has a backward, dO into the store, widened exactly.
template <class Real>
void upload(const Plan& plan, int rank, const Inputs& inputs, Store<Real>& store);

// Writes Out and the gradients of this rank's own blocks; gradients are turned back and rounded here, once. An absent
// gradient is zero; an absent Out is left unwritten.
template <class Real>
void download(const Plan& plan, int rank, const Store<Real>& store, const Turning<Real>& turning, Outputs& outputs);

}  // namespace ringscope::cpu
