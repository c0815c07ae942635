// KV goes up the ring, N-1 hops (Liu et al., Ring Attention, arXiv 2310.01889).
#include "core/schedules/builders.h"
#include "core/schedules/kv_ring.h"

namespace ringscope {

Schedule build_ring(const BuildRequest& request) {
  ScheduleBuilder builder(request);
  return kv_ring_schedule(builder, own_blocks_ring(builder, {.inner = builder.ranks()}));
}

}  // namespace ringscope
