// The largest numbers that a problem may have.
#pragma once
#include <cstdint>

namespace ringscope {

struct ProblemLimits {
  std::int64_t batch = 1 << 20, heads = 65535, dim = 1 << 16;
  std::int64_t len = std::int64_t{1} << 30;  // what the proof takes
};

}  // namespace ringscope
