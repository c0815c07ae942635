#pragma once
#include <cstddef>
#include <span>

namespace ringscope {

// Reads a file of tensors, then all that it says it holds.
void read_tensors(std::span<const std::byte> file);

}  // namespace ringscope
