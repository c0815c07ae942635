// A kernel with a mistake in it: the naive one, given something wrong in the forward, the backward or both.
#pragma once
#include <memory>
#include <vector>

#include "backends/cpu/kernels.h"

namespace ringscope {

using Call = cpu::AttendCall<double>;

// Override what is wrong; the rest is right. One object serves all ranks of a session, each from its own thread.
class MistakenKernel : public cpu::Kernel<double> {
 public:
  void forward(const Call& call, cpu::RowEvents* events) const override { right_->forward(call, events); }
  void backward(const Call& call) const override { right_->backward(call); }

 protected:
  const cpu::Kernel<double>& right() const { return *right_; }

 private:
  std::unique_ptr<cpu::Kernel<double>> right_ = cpu::make_naive_kernel<double>({});
};

// For problems in f64.
template <class Mistaken>
cpu::KernelKind kernel_with() {
  return {.name = "mistaken",
          .sentence = "has a mistake in it",
          .make_float = nullptr,
          .make_double = [](const cpu::KernelOptions&) -> std::unique_ptr<cpu::Kernel<double>> {
            return std::make_unique<Mistaken>();
          }};
}

// The same call for another problem.
inline Call with_problem(const Call& call, const Problem& problem) {
  return {.problem = problem,
          .view = call.view,
          .dropout_seed = call.dropout_seed,
          .rank = call.rank,
          .step = call.step,
          .q_heads = call.q_heads,
          .kv_heads = call.kv_heads,
          .q_rows = call.q_rows,
          .kv_rows = call.kv_rows,
          .q = call.q,
          .kv = call.kv,
          .state = call.state,
          .d_o = call.d_o,
          .stats = call.stats,
          .dq = call.dq,
          .dkv = call.dkv};
}

}  // namespace ringscope
