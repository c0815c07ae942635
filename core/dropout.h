// Which weights survive dropout: a function of (seed, batch, query head, i, j) with global i and j, so that no layout,
// tile or order can change it. One Philox call serves four neighbouring keys.
#pragma once
#include <cstdint>

#include "core/philox.h"

namespace ringscope {

// A weight is dropped when its lane, read as a fraction of 2^32, is below the probability; kept ones are divided by
// 1 - probability.
inline bool dropout_lane_keeps(std::uint32_t lane, double probability) {
  return static_cast<double>(lane) * 0x1p-32 >= probability;
}

// The lanes of keys 4g .. 4g+3 for g = key_group.
inline PhiloxCounter dropout_lanes(std::uint64_t seed, std::int64_t batch, std::int64_t head, std::int64_t i,
                                   std::int64_t key_group) {
  return philox4x32({static_cast<std::uint32_t>(key_group), static_cast<std::uint32_t>(i),
                     static_cast<std::uint32_t>(head), static_cast<std::uint32_t>(batch)},
                    philox_key(seed));
}

inline bool dropout_keeps(std::uint64_t seed, double probability, std::int64_t batch, std::int64_t head, std::int64_t i,
                          std::int64_t j) {
  return dropout_lane_keeps(dropout_lanes(seed, batch, head, i, j / 4)[static_cast<std::size_t>(j % 4)], probability);
}

}  // namespace ringscope
