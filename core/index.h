// Counts and positions are signed; containers want them unsigned.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ringscope {

constexpr std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace ringscope
