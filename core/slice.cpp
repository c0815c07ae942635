#include "core/slice.h"

namespace ringscope {

std::string_view name_of(TensorKind tensor) {
  constexpr std::string_view names[tensor_kinds] = {"Q", "KV", "State", "Out", "dO", "Stats", "dQ", "dKV"};
  return names[static_cast<int>(tensor)];
}

std::string to_text(const Slice& slice) {
  std::string out(name_of(slice.tensor));
  out += " b" + std::to_string(slice.blocks.first);
  if (slice.blocks.count != 1 || slice.blocks.stride != 1) {
    out += "+" + std::to_string(slice.blocks.count) + "x" + std::to_string(slice.blocks.stride);
  }
  return out + " h" + std::to_string(slice.heads.begin) + "-" + std::to_string(slice.heads.end);
}

}  // namespace ringscope
