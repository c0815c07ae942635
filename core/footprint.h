// What a case takes in memory, counted before any of it is allocated: a floor, so that nothing that fits is refused.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/problem.h"

namespace ringscope {

// Bytes; host tensors hold doubles.
struct Footprint {
  double inputs = 0;     // Q, K, V, dO
  double outputs = 0;    // O, LSE, dQ, dK, dV of one run
  double judgement = 0;  // the oracle, and what its verdict rests on
  double total() const { return inputs + outputs + judgement; }
};
Footprint footprint_of_run(const Problem& problem);
Footprint footprint_of_verify(const Problem& problem);

// Throw Error(bad_request) where that is more than `free_bytes`; 0: nobody knows how much is free.
void require_room(const Footprint& footprint, double free_bytes);
void require_room_for_ranks(std::span<const std::int64_t> peak_bytes, double free_bytes);  // [rank], of a proof
[[noreturn]] void refuse_size(const std::string& what, double bytes, double free_bytes, const std::string& fix);

}  // namespace ringscope
