// A few queries against a long KV cache: Q is copied to every rank that has keys, the partial States merge at Q's owner
// (flash-decoding over devices; the tree of arXiv 2408.04093 without the tree).
#include "core/schedules/builders.h"
#include "core/schedules/merge_home.h"

namespace ringscope {

Schedule build_decode(const BuildRequest& request) {
  ScheduleBuilder b(request);
  std::vector<PartialState> partials;
  for (int owner = 0; owner < b.ranks(); ++owner) {
    for (int rank = 0; rank < b.ranks(); ++rank) {
      if (!b.needs(b.own(owner), b.own(rank))) continue;
      b.move(0, {.blocks = b.own(owner),
                 .from = owner,
                 .to = rank,
                 .heads = b.q_heads(),
                 .slot = gather_slot,
                 .tensor = TensorKind::q});
      b.attend(1, {.rank = rank,
                   .q = b.own(owner),
                   .kv = b.own(rank),
                   .q_heads = b.q_heads(),
                   .kv_heads = b.kv_heads(),
                   .acc_q = static_cast<std::uint16_t>(gather_slot + owner)});
      b.drop(1, rank, {TensorKind::q, b.own(owner), b.q_heads()});
      if (rank != owner) partials.push_back({rank, b.own(owner)});
    }
  }
  merge_home(b, 1, std::move(partials));
  return b.take();
}

}  // namespace ringscope
