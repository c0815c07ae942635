// Numeric faults of scores: scale, softcap, ALiBi, RoPE, dropout, and which heads and rows meet.
#include "core/faults/places.h"

namespace ringscope {

namespace {

int head_mod(const Problem&, int q_head, const Heads& present) {
  return present.begin + q_head % present.count();
}

bool maps_otherwise(const Plan& plan, const Attend& a) {
  for (int h = a.q_heads.begin; h < a.q_heads.end; ++h) {
    if (head_mod(plan.problem, h, a.kv_heads) != h / plan.problem.group()) return true;
  }
  return false;
}

}  // namespace

std::vector<FaultKind> score_faults() {
  FaultKind gqa{"gqa-head-mod", "query head h reads KV head h mod Hkv instead of h / (Hq/Hkv)", FaultFamily::numeric};
  gqa.spread = FaultSpread::everywhere;
  gqa.sites = attends_where([](const Plan& plan, int, const Attend& a, const AttendView& view) {
    return maps_otherwise(plan, a) && any_pair(plan, a, view, [](const MeetingPair& pair) { return pair.allowed; });
  });
  gqa.mishap = [](const Plan&) {
    Mishap mishap;
    mishap.kv_head = head_mod;
    return mishap;
  };
  return {gqa};
}

}  // namespace ringscope
