// The proof: symbolic execution of a plan, without numbers.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/watch.h"

namespace ringscope {

enum class Rule : std::uint8_t {
  presence,     // data is there when it is sent, attended or finished
  overwrite,    // no slot is filled before it is free
  coverage,     // every allowed pair of every head exactly once
  heads,        // a query head meets the KV head it reads
  combine,      // accumulators are added or merged, everything else replaced
  state_owner,  // one owner of each State, dQ, dKV at a time
  finish,       // Finish once, after the last absorb
  gradient,     // each gradient home once with every contribution
  home,         // Out at home in the end
  leak,         // nothing foreign is left
  match,        // sends and receives pair up, in the same order on each link
  wait_cycle,   // no cycle of waits, even with rendezvous sends
  shape,        // ranks, blocks, heads, slots inside their bounds
};
std::string_view name_of(Rule rule);

struct Violation {
  Rule rule = Rule::presence;
  int step = 0, rank = 0;
  Slice slice;
  std::string sentence;  // names rank, step and slice
};

struct LinkBytes {
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

// Exact integers about one direction of a proved plan.
struct PassFacts {
  std::array<std::int64_t, tensor_kinds> transfers{};  // slices that change rank, over all ranks, by TensorKind
  std::vector<LinkBytes> links;                        // by from, then to
  std::vector<std::vector<std::int64_t>> pairs;        // [rank][step of this pass], heads and batch included
};

struct ScheduleFacts {
  PassFacts forward, backward;
  bool has_backward = false;
  std::vector<std::int64_t> peak_bytes;  // [rank], with the staging that add and merge landings need
};

struct Proof {
  std::vector<Violation> violations;  // at most ProofOptions::most_violations; empty: proved
  ScheduleFacts facts;
  bool holds() const { return violations.empty(); }
};

struct ProofOptions {
  int most_violations = 20;
  TellDone tell;
};
// Throws Error(bad_request) for a plan that is larger than the proof takes.
Proof prove(const Plan& plan, const ProofOptions& options = {});

// mean / max of the ranks' totals; 1 when there is no work.
double balance(const PassFacts& facts);
// mean over ranks of the totals / sum over steps of the largest rank; 1 when there is no work.
double lockstep_efficiency(const PassFacts& facts);

}  // namespace ringscope
