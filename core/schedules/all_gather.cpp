// Every rank sends its KV straight to all others; one attend over all blocks. The backward gathers KV again, and each
// part of dKV goes straight home.
#include "core/schedules/builder.h"
#include "core/schedules/builders.h"

namespace ringscope {

namespace {

void gather_and_attend(ScheduleBuilder& b, int step) {
  const Blocks all{0, b.request().layout.blocks(), 1};
  for (int from = 0; from < b.ranks(); ++from) {
    for (int to = 0; to < b.ranks(); ++to) {
      if (!b.needs(b.own(to), b.own(from))) continue;
      b.move(step, {.blocks = b.own(from),
                    .from = from,
                    .to = to,
                    .heads = b.kv_heads(),
                    .slot = gather_slot,
                    .tensor = TensorKind::kv});
    }
  }
  for (int rank = 0; rank < b.ranks(); ++rank) {
    if (!b.needs(b.own(rank), all)) continue;
    b.attend(step + 1, {.rank = rank,
                        .q = b.own(rank),
                        .kv = all,
                        .q_heads = b.q_heads(),
                        .kv_heads = b.kv_heads(),
                        .acc_q = gather_slot,
                        .acc_kv = gather_slot});
    b.drop(step + 1, rank, {TensorKind::kv, all, b.kv_heads()});
  }
}

void finish_all(ScheduleBuilder& b, int step) {
  for (int rank = 0; rank < b.ranks(); ++rank) b.finish(step, rank, {b.own(rank), b.q_heads()});
}

// From rank 0 on: the landing order at every home.
void bring_gradients_home(ScheduleBuilder& b, int step) {
  for (int from = 0; from < b.ranks(); ++from) {
    for (int to = 0; to < b.ranks(); ++to) {
      if (!b.needs(b.own(from), b.own(to))) continue;
      b.move(step, {.blocks = b.own(to),
                    .from = from,
                    .to = to,
                    .heads = b.kv_heads(),
                    .tensor = TensorKind::dkv,
                    .combine = Combine::add,
                    .source = Source::give});
    }
  }
}

}  // namespace

Schedule build_all_gather(const BuildRequest& request) {
  ScheduleBuilder b(request);
  gather_and_attend(b, 0);
  finish_all(b, 1);
  if (request.backward) {
    b.start_backward(2);
    finish_all(b, 2);
    gather_and_attend(b, 2);
    bring_gradients_home(b, 4);
  }
  return b.take();
}

}  // namespace ringscope
