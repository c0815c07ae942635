#include <array>

#include "backends/cpu/kernels.h"

namespace ringscope::cpu {

std::span<const KernelKind> kernel_kinds() {
  static constexpr std::array kinds = {
      KernelKind{.name = "naive",
                 .sentence = "Plain loops, one key after another; records how each row grows.",
                 .make_float = make_naive_kernel<float>,
                 .make_double = make_naive_kernel<double>,
                 .records_rows = true},
  };
  return kinds;
}

}  // namespace ringscope::cpu
