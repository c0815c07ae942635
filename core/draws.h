// A stream of random numbers for choosing cases: the same on every machine.
#pragma once
#include <cstdint>

#include "core/philox.h"

namespace ringscope {

class Draws {
 public:
  explicit Draws(std::uint64_t seed, std::uint64_t stream = 0) : key_(philox_key(seed)), stream_(stream) {}

  // 0 <= result < bound, for bound >= 1. The bias is below 2^-32 * bound.
  std::int64_t below(std::int64_t bound) {
    const PhiloxCounter bits =
        philox4x32({static_cast<std::uint32_t>(count_), static_cast<std::uint32_t>(count_ >> 32),
                    static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                   key_);
    ++count_;
    return static_cast<std::int64_t>((std::uint64_t{bits[0]} * static_cast<std::uint64_t>(bound)) >> 32);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  PhiloxKey key_;
  std::uint64_t stream_, count_ = 0;
};

}  // namespace ringscope
