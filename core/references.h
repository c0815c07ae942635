// References shared between runs of the same problem and data.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "core/compare.h"

namespace ringscope {

// Keeps the last few; any number of threads may ask.
class References {
 public:
  std::shared_ptr<const Reference> of(const Problem& problem, Fill fill, std::uint64_t seed, const TellDone& tell = {});

 private:
  struct Entry {
    Problem problem;
    Fill fill;
    std::uint64_t seed;
    std::shared_ptr<const Reference> reference;
  };
  std::mutex mutex_;
  std::list<Entry> entries_;  // latest first
};

}  // namespace ringscope
