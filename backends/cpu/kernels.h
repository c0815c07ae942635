// The kernels by name; kernel_kinds.cpp lists them.
#pragma once
#include <memory>

#include "backends/cpu/kernel.h"

namespace ringscope::cpu {

// Each is instantiated for float and double.
template <class Real>
std::unique_ptr<Kernel<Real>> make_naive_kernel(const KernelOptions& options);
template <class Real>
std::unique_ptr<Kernel<Real>> make_bitwise_kernel(const KernelOptions& options);
template <class Real>
std::unique_ptr<Kernel<Real>> make_eigen_kernel(const KernelOptions& options);

}  // namespace ringscope::cpu
