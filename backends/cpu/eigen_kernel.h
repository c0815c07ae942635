// FlashAttention-2 on Eigen's products: tiles of scores that fit the cache, five products per pair of tiles backward.
#pragma once
#include "backends/cpu/kernel.h"

namespace ringscope::cpu {

template <class Real>
class EigenKernel final : public Kernel<Real> {
 public:
  explicit EigenKernel(const KernelOptions& options) : options_(options) {}
  void forward(const AttendCall<Real>& call, RowEvents* events) const override;  // eigen_forward.cpp
  void backward(const AttendCall<Real>& call) const override;                    // eigen_backward.cpp

 private:
  KernelOptions options_;
};

}  // namespace ringscope::cpu
