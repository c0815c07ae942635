// Named mistakes, planted on purpose: a check that was never seen to fail is worth nothing.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/faults/mishap.h"
#include "core/plan.h"

namespace ringscope {

// How the sentence of a site ends.
inline std::string at_step(int step) {
  return " at step " + std::to_string(step);
}

// One place of a plan where a fault can happen.
struct FaultSite {
  int rank = -1, step = -1;  // -1: everywhere
  std::int64_t item = -1;    // index into the array of the schedule that the fault concerns
  std::string sentence;      // "rank 2 omits its attend of Q b2 with KV b1 at step 1"
};

enum class FaultFamily : std::uint8_t {
  schedule,   // damages the plan; the proof must refuse it
  transport,  // damages the world while the plan runs; the backend must report it
  numeric     // the plan is right and the backend computes wrongly; the comparison must see it
};

// Where a fault happens when a case names no place: a slip at the one that the seed picks, a wrong formula everywhere.
enum class FaultSpread : std::uint8_t { one_place, everywhere };

struct FaultKind {
  std::string_view name, sentence;
  FaultFamily family = FaultFamily::schedule;
  std::function<std::vector<FaultSite>(const Plan& plan)> sites;  // by step, then rank
  void (*damage)(Plan& plan, const FaultSite& site) = nullptr;    // FaultFamily::schedule only
  std::function<Mishap(const Plan& plan)> mishap;                 // FaultFamily::numeric only
  FaultSpread spread = FaultSpread::one_place;
};

// One file per family hands in its kinds.
std::vector<FaultKind> schedule_faults();
std::vector<FaultKind> transport_faults();
std::vector<FaultKind> mask_faults();
std::vector<FaultKind> score_faults();
std::vector<FaultKind> merge_faults();
std::vector<FaultKind> finish_faults();
std::vector<FaultKind> gradient_faults();
std::vector<FaultKind> buffer_faults();
std::vector<FaultKind> output_faults();

std::span<const FaultKind> fault_kinds();
// - and _ read alike; null when nobody knows the name.
const FaultKind* find_fault(std::string_view name);
// The site that a case asks for; coordinates it leaves open are picked by the seed. Nothing: no such place here.
std::optional<FaultSite> choose_site(const FaultKind& kind, const Plan& plan, const FaultChoice& choice,
                                     std::uint64_t seed);
// Why there is none: which ranks and steps the plan has, and where the fault has its places.
std::string why_no_site(const FaultKind& kind, const Plan& plan, const FaultChoice& choice);

}  // namespace ringscope
