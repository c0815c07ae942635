// What a case takes in memory, counted before any of it is allocated: a floor, so that nothing that fits is refused.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/plan.h"

namespace ringscope {

// Bytes; host tensors hold doubles.
struct Footprint {
  double inputs = 0;     // Q, K, V, dO
  double outputs = 0;    // O, LSE, dQ, dK, dV of one run
  double ranks = 0;      // what the ranks hold of their own, in the type that they compute in
  double judgement = 0;  // the oracle, and what its verdict rests on
  double snapshots = 0;  // what ranks hold after each step, where that is kept
  double written = 0;    // copies in the order of a file
  double total() const { return inputs + outputs + ranks + judgement + snapshots + written; }
};
Footprint footprint_of_run(const Problem& problem);
Footprint footprint_of_verify(const Problem& problem);
double snapshot_bytes(const Plan& plan);

// Throw Error(bad_request) where that is more than `free_bytes`; 0: nobody knows how much is free.
void require_room(const Footprint& footprint, double free_bytes);
// `peak_bytes` [rank] are a proof's; beside them there are the other parts of the case's footprint.
void require_room_for_ranks(const Problem& problem, std::span<const std::int64_t> peak_bytes,
                            const Footprint& footprint, double free_bytes);
void require_room_for_proof(const Plan& plan, double free_bytes);
[[noreturn]] void refuse_size(const std::string& what, double bytes, double free_bytes, const std::string& fix);

}  // namespace ringscope
