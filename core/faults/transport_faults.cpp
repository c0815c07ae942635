// Faults of the world, by name and place; core/faults/transport.h plants them into a backend.
#include "core/faults/fault.h"

namespace ringscope {

namespace {

std::vector<FaultSite> ranks_at_steps(const Plan& plan, const char* what) {
  std::vector<FaultSite> sites;
  for (int t = 0; t < plan.schedule.steps(); ++t) {
    for (int r = 0; r < plan.layout.ranks; ++r) {
      sites.push_back({r, t, -1, "rank " + std::to_string(r) + what + at_step(t)});
    }
  }
  return sites;
}

std::vector<FaultSite> deaths(const Plan& plan) {
  return ranks_at_steps(plan, " dies");
}

std::vector<FaultSite> stalls(const Plan& plan) {
  return ranks_at_steps(plan, " stops without a word");
}

std::vector<FaultSite> messages(const Plan& plan) {
  std::vector<FaultSite> sites;
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    for (std::int64_t i = s.first_move(t); i < s.first_move(t + 1); ++i) {
      const Move& m = s.moves[static_cast<std::size_t>(i)];
      if (m.to == nobody || m.to == m.from) continue;
      sites.push_back({m.from, t, i,
                       to_text(m.slice()) + " from rank " + std::to_string(m.from) + " to rank " +
                           std::to_string(m.to) + " is lost" + at_step(t)});
    }
  }
  return sites;
}

}  // namespace

std::vector<FaultKind> transport_faults() {
  return {
      {"kill", "a rank dies at the beginning of a step", FaultFamily::transport, deaths, nullptr},
      {"drop-message", "a message is sent and never arrives", FaultFamily::transport, messages, nullptr},
      {"stall", "a rank stops at the beginning of a step and keeps its connections", FaultFamily::transport, stalls,
       nullptr},
  };
}

}  // namespace ringscope
