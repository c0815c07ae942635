// Numeric faults of joining States: a row meets another block of keys, or what another rank made of them.
#include <utility>

#include "core/faults/places.h"

namespace ringscope {

namespace {

using Join = std::function<void(const StateRow<double>& running, const PartState& part)>;

FaultKind merge_fault(std::string_view name, std::string_view sentence, Join join) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = joins();
  kind.mishap = [join = std::move(join)](const Plan&) {
    Mishap mishap;
    mishap.join = join;
    return mishap;
  };
  return kind;
}

// Merges rightly where one side has no keys.
bool is_identity(const StateRow<double>& running, const PartState& part) {
  return running.is_empty() || part.m == no_score<double>;
}

void merge(const StateRow<double>& running, const PartState& part) {
  running.merge(part.m, part.l, part.o.data());
}

// The LSE comes out right, O with each side's share given to the other.
void swap_weights(const StateRow<double>& running, const PartState& part) {
  if (is_identity(running, part)) return merge(running, part);
  const double m = std::max(running.m, part.m);
  const double mine = running.l * math::exp(running.m - m), theirs = part.l * math::exp(part.m - m);
  for (std::int64_t d = 0; d < running.dim_v; ++d) {
    running.o[d] = theirs * (running.o[d] / running.l) + mine * (part.o[static_cast<std::size_t>(d)] / part.l);
  }
  running.m = m;
  running.l = mine + theirs;
}

}  // namespace

std::vector<FaultKind> merge_faults() {
  return {
      merge_fault("merge-weights-swapped", "two blocks' outputs are merged with each other's weights", swap_weights),
  };
}

}  // namespace ringscope
