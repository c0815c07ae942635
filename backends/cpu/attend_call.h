// Turns an Attend into what a kernel is given: pointers into one rank's store.
#pragma once
#include <cstdint>

#include "backends/cpu/kernel.h"
#include "backends/cpu/store.h"
#include "backends/cpu/turning.h"

namespace ringscope::cpu {

// Where and when, for the sentences of errors and for row events.
struct Moment {
  int rank = 0, step = 0;
};

// What must be there. Throws RankError(unprovable) when it is not.
template <class Real>
typename Store<Real>::Entry& present(Store<Real>& store, const Atom& atom, Moment when);

// What an absent accumulator stands for: zeros, or the empty State.
template <class Real>
Buffer<Real> identity(const Plan& plan, const Atom& atom);

// An accumulator, created when absent.
template <class Real>
Buffer<Real>& accumulator(Store<Real>& store, const Plan& plan, const Atom& atom, std::uint16_t slot);

// Creates the accumulators that the Attend adds to.
template <class Real>
AttendCall<Real> make_call(const Plan& plan, std::int64_t attend_index, const AttendView& view, Store<Real>& store,
                           const Turning<Real>& turning, Moment when);

}  // namespace ringscope::cpu
