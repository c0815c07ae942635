#include "backends/cpu/cpu_backend.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "backends/cpu/session.h"

namespace ringscope::cpu {

CpuBackend::CpuBackend(const KernelKind& kind, CpuOptions options) : kind_(kind), options_(std::move(options)) {}

BackendInfo CpuBackend::info() const {
  return {"cpu:" + std::string(kind_.name), std::string(kind_.sentence)};
}

Support CpuBackend::supports(const Problem&, const Schedule&) const {
  return {};
}

std::unique_ptr<Session> CpuBackend::open(const Plan& plan, const RunOptions& options) {
  KernelOptions kernel = options_.kernel;
  if (kernel.threads == 0) {
    kernel.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / plan.layout.ranks);
  }
  return open_session(plan, options, kind_, kernel, options_);
}

}  // namespace ringscope::cpu
