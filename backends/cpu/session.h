// One opened plan: a thread for every rank.
#pragma once
#include <memory>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/kernel.h"
#include "core/backend.h"

namespace ringscope::cpu {

// Real is chosen by the problem's type: double for f64, else float.
std::unique_ptr<Session> open_session(const Plan& plan, const RunOptions& run, const KernelKind& kind,
                                      const KernelOptions& kernel, const CpuOptions& cpu);

}  // namespace ringscope::cpu
