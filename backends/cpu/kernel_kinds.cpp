#include <array>

#include "backends/cpu/kernels.h"

namespace ringscope::cpu {

std::span<const KernelKind> kernel_kinds() {
  static constexpr std::array kinds = {
      KernelKind{.name = "eigen",
                 .sentence = "tiles of scores by Eigen's matrix products, on several threads: the fast one",
                 .make_float = make_eigen_kernel<float>,
                 .make_double = make_eigen_kernel<double>},
      KernelKind{.name = "naive",
                 .sentence = "plain loops, one key after another; records how each row grows",
                 .make_float = make_naive_kernel<float>,
                 .make_double = make_naive_kernel<double>,
                 .records_rows = true},
      KernelKind{.name = "bitwise",
                 .sentence = "one row is one chain: the same bits for any tile, threads, processor or backend",
                 .make_float = make_bitwise_kernel<float>,
                 .make_double = make_bitwise_kernel<double>},
  };
  return kinds;
}

}  // namespace ringscope::cpu
