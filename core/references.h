// References shared between runs of the same problem and data.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "core/compare.h"

namespace ringscope {

// Keeps the last few, as long as they are small together; any number of threads may ask.
class References {
 public:
  explicit References(double most_bytes = 1e9) : most_bytes_(most_bytes) {}

  std::shared_ptr<const Reference> of(const Problem& problem, Fill fill, std::uint64_t seed, const TellDone& tell = {});

 private:
  void keep_few();

  struct Entry {
    Problem problem;
    Fill fill;
    std::uint64_t seed;
    std::shared_ptr<const Reference> reference;
  };
  double most_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // latest first
};

}  // namespace ringscope
