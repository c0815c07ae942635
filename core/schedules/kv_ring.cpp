#include "core/schedules/kv_ring.h"

namespace ringscope {

KvRing own_blocks_ring(const ScheduleBuilder& builder, const Route& route) {
  const std::vector<int>& order = builder.request().ring_order;
  KvRing ring{.route = route};
  for (int rank = 0; rank < builder.ranks(); ++rank) {
    ring.q_held.push_back({builder.own(rank), builder.q_heads()});
    ring.kv_held.push_back({builder.own(rank), builder.kv_heads()});
  }
  for (int start = 0; start < builder.ranks(); ++start) {
    const auto rank = static_cast<std::size_t>(order[static_cast<std::size_t>(start)]);
    ring.kv.push_back({ring.kv_held[rank], path_of(route, order, start, Turn::up)});
    ring.q.push_back({ring.q_held[rank], path_of(route, order, start, Turn::down)});
  }
  return ring;
}

int forward_ring(ScheduleBuilder& builder, int step, const KvRing& ring, std::optional<BackwardStyle> next) {
  const int last = rotate(builder, {.first_step = step,
                                    .travellers = ring.kv,
                                    .stays = ring.q_held,
                                    .route = ring.route,
                                    .last_copy = next == BackwardStyle::reversed ? LastCopy::keep : LastCopy::drop});
  for (int rank = 0; rank < builder.ranks(); ++rank) {
    builder.finish(last, rank, ring.q_held[static_cast<std::size_t>(rank)]);
  }
  return last;
}

int backward_ring(ScheduleBuilder& builder, int step, const KvRing& ring, BackwardStyle style) {
  for (int rank = 0; rank < builder.ranks(); ++rank) {
    builder.finish(step, rank, ring.q_held[static_cast<std::size_t>(rank)]);
  }
  Rotation r{
      .first_step = step, .pass = Pass::backward, .travellers = ring.kv, .stays = ring.q_held, .route = ring.route};
  if (style == BackwardStyle::reversed) r.route.way = Route::Way::inward;
  if (style == BackwardStyle::qside) {
    r.first_step = step + 1;  // Stats are made in `step`, so they can be sent from the next one on
    r.travels = Side::q;
    r.travellers = ring.q;
    r.stays = ring.kv_held;
  }
  return rotate(builder, r);
}

Schedule kv_ring_schedule(ScheduleBuilder& builder, const KvRing& ring) {
  const std::optional<BackwardStyle> style = builder.request().backward;
  const int last = forward_ring(builder, 0, ring, style);
  if (style) {
    builder.start_backward(last + 1);
    backward_ring(builder, last + 1, ring, *style);
  }
  return builder.take();
}

}  // namespace ringscope
