// Two half blocks per rank, one each way round the ring: both directions of every link are busy.
#include "core/schedules/builders.h"
#include "core/schedules/kv_ring.h"

namespace ringscope {

namespace {

constexpr int halves = 2;

std::vector<Traveller> half_blocks(const ScheduleBuilder& builder, const Route& route, Heads heads, Turn first_half) {
  const std::vector<int>& order = builder.request().ring_order;
  const Turn second_half = first_half == Turn::up ? Turn::down : Turn::up;
  std::vector<Traveller> out;
  for (int half = 0; half < halves; ++half) {
    for (int start = 0; start < builder.ranks(); ++start) {
      const int rank = order[static_cast<std::size_t>(start)];
      const Turn turn = half == 0 ? first_half : second_half;
      out.push_back({{{halves * rank + half, 1, 1}, heads}, path_of(route, order, start, turn), half});
    }
  }
  return out;
}

}  // namespace

Schedule build_bidi(const BuildRequest& request) {
  ScheduleBuilder builder(request);
  KvRing ring = own_blocks_ring(builder, {.inner = builder.ranks()});
  ring.kv = half_blocks(builder, ring.route, builder.kv_heads(), Turn::up);
  ring.q = half_blocks(builder, ring.route, builder.q_heads(), Turn::down);
  return kv_ring_schedule(builder, ring);
}

}  // namespace ringscope
