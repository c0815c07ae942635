#include "core/references.h"

#include <algorithm>

#include "core/footprint.h"

namespace ringscope {

namespace {
constexpr std::size_t most_entries = 8;

double bytes_of(const Problem& problem) {
  const Footprint footprint = footprint_of_verify(problem);
  return footprint.inputs + footprint.judgement;
}
}  // namespace

std::shared_ptr<const Reference> References::of(const Problem& problem, Fill fill, std::uint64_t seed,
                                                const TellDone& tell) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
      return e.seed == seed && e.fill == fill && e.problem == problem;
    });
    if (found != entries_.end()) return found->reference;
  }
  // Made without the lock: two threads may make the same one, which costs time and nothing else.
  auto reference = std::make_shared<const Reference>(make_reference(problem, fill, seed, Weights::kept, tell));
  const std::lock_guard lock(mutex_);
  entries_.push_front({problem, fill, seed, reference});
  keep_few();
  return reference;
}

void References::keep_few() {
  double bytes = 0;
  std::size_t kept = 0;
  auto entry = entries_.begin();
  for (; entry != entries_.end() && kept < most_entries; ++entry, ++kept) {
    bytes += bytes_of(entry->problem);
    if (bytes > most_bytes_) break;
  }
  entries_.erase(entry, entries_.end());
}

}  // namespace ringscope
