// A ring inside each node and one between the nodes; the hop between nodes hides behind a whole inner cycle
// (the two-level ring of LoongTrain, arXiv 2406.18485).
#include "core/schedules/builders.h"
#include "core/schedules/kv_ring.h"

namespace ringscope {

Schedule build_double_ring(const BuildRequest& request) {
  ScheduleBuilder builder(request);
  return kv_ring_schedule(builder,
                          own_blocks_ring(builder, {.outer = request.ranks.outer, .inner = request.ranks.inner}));
}

}  // namespace ringscope
