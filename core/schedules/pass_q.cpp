// Queries go down the ring and KV stays; the partial States go home at the end (pass-Q of arXiv 2411.01783).
#include "core/schedules/builders.h"
#include "core/schedules/kv_ring.h"
#include "core/schedules/merge_home.h"

namespace ringscope {

namespace {

std::vector<PartialState> partial_states(const ScheduleBuilder& builder, const KvRing& ring) {
  std::vector<PartialState> out;
  for (const Traveller& x : ring.q) {
    for (const int rank : x.path) {
      const bool is_home = rank == x.path[Route::home];
      if (!is_home && builder.needs(x.what.blocks, builder.own(rank))) out.push_back({rank, x.what.blocks});
    }
  }
  return out;
}

}  // namespace

Schedule build_pass_q(const BuildRequest& request) {
  ScheduleBuilder builder(request);
  const KvRing ring = own_blocks_ring(builder, {.inner = builder.ranks()});
  const int attended =
      rotate(builder, {.travels = Side::q, .travellers = ring.q, .stays = ring.kv_held, .route = ring.route});
  const int last = merge_home(builder, attended, partial_states(builder, ring));
  if (request.backward) {
    builder.start_backward(last + 1);
    backward_ring(builder, last + 1, ring, BackwardStyle::qside);
  }
  return builder.take();
}

}  // namespace ringscope
