#include "core/references.h"

#include <algorithm>

namespace ringscope {

namespace {
constexpr std::size_t most_entries = 8;
}

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
  if (entries_.size() > most_entries) entries_.pop_back();
  return reference;
}

}  // namespace ringscope
