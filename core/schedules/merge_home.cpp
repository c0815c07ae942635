#include "core/schedules/merge_home.h"

#include <algorithm>

namespace ringscope {

int merge_home(ScheduleBuilder& builder, int step, std::vector<PartialState> partials) {
  std::stable_sort(partials.begin(), partials.end(),
                   [](const PartialState& a, const PartialState& b) { return a.rank < b.rank; });
  for (const PartialState& p : partials) {
    builder.move(step + 1, {.blocks = p.q,
                            .from = p.rank,
                            .to = builder.request().layout.owner(p.q.first),
                            .heads = builder.q_heads(),
                            .tensor = TensorKind::state,
                            .combine = Combine::merge,
                            .source = Source::give});
  }
  const int last = partials.empty() ? step : step + 2;
  for (int rank = 0; rank < builder.ranks(); ++rank) builder.finish(last, rank, {builder.own(rank), builder.q_heads()});
  return last;
}

}  // namespace ringscope
