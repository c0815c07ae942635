// The most fused multiply-adds the machine can do: what a kernel's speed is a fraction of.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ringscope::bench {

struct FmaPeak {
  std::string_view name;      // "avx2"
  double flops_per_call = 0;  // a fused multiply-add is two
  void (*run)() = nullptr;    // one thread's work
};

// The instructions of this build first; then wider ones that this processor also has.
std::span<const FmaPeak> fma_peaks();

}  // namespace ringscope::bench
