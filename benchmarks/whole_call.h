// One attend over whole tensors in one block, ready for a kernel: f32, random values.
#pragma once
#include <deque>
#include <vector>

#include "backends/cpu/kernel.h"

namespace ringscope::bench {

class WholeCall {
 public:
  WholeCall(const Problem& problem, const cpu::Kernel<float>& kernel);

  void forward();   // from an empty State
  void backward();  // adds to the gradients

  double forward_flops() const { return 2 * multiply_adds_of_a_product() * 2; }   // two products
  double backward_flops() const { return 2 * multiply_adds_of_a_product() * 5; }  // five products

 private:
  double multiply_adds_of_a_product() const;  // pairs that the mask leaves, times D (Dqk = Dv)
  float* tensor(std::int64_t size, bool random);

  Problem problem_;
  Plan plan_;
  Attend attend_;
  AttendView view_;
  const cpu::Kernel<float>& kernel_;
  std::deque<std::vector<float>> memory_;
  cpu::AttendCall<float> forward_, backward_;
};

}  // namespace ringscope::bench
