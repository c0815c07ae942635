// Numeric faults of masks: a kernel that lets a row see other keys than the mask allows.
#include <utility>

#include "core/faults/places.h"

namespace ringscope {

namespace {

using Sees = std::function<bool(const Spot&, const MeetingPair&)>;
// Nothing where the mask has no such part.
using MakeSees = std::function<Sees(const Plan&)>;

// Applies where some pair of an Attend is seen otherwise than the mask says.
FaultKind mask_fault(std::string_view name, std::string_view sentence, const MakeSees& make,
                     FaultSpread spread = FaultSpread::everywhere) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = spread;
  kind.sites = [make](const Plan& plan) {
    const Sees sees = make(plan);
    if (!sees) return std::vector<FaultSite>{};
    return attends_where([&](const Plan& p, int step, const Attend& a, const AttendView& view) {
      const Spot spot{p, a.rank, step, p.schedule.pass(step)};
      return any_pair(p, a, view, [&](const MeetingPair& pair) { return sees(spot, pair) != pair.allowed; });
    })(plan);
  };
  kind.mishap = [make](const Plan& plan) {
    Mishap mishap;
    mishap.sees = make(plan);
    return mishap;
  };
  return kind;
}

std::int64_t key_position(const Spot& spot, const MeetingPair& pair) {
  return spot.plan.problem.mask.offset.value_or(spot.plan.problem.len_kv - spot.plan.problem.len_q) + pair.i;
}

bool is_causal(const Problem& p) {
  return p.mask.causal || p.mask.prefix;
}

}  // namespace

std::vector<FaultKind> mask_faults() {
  return {
      mask_fault("strict-causal", "a row does not see its own key",
                 [](const Plan& plan) -> Sees {
                   if (!is_causal(plan.problem)) return nullptr;
                   return [](const Spot& spot, const MeetingPair& pair) {
                     return pair.allowed && pair.j != key_position(spot, pair);
                   };
                 }),
  };
}

}  // namespace ringscope
