// One opened plan: a thread for every rank.
#pragma once
#include <memory>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernel.h"
#include "core/backend.h"

namespace ringscope::cpu {

// Real is double for problems in f64, else float. Rows are recorded by kernels that can.
template <class Real>
std::unique_ptr<Session> open_session(const Plan& plan, const RunOptions& run, std::unique_ptr<Kernel<Real>> kernel,
                                      bool records_rows, const CpuOptions& cpu);

}  // namespace ringscope::cpu
