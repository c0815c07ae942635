#include "backends/cpu/cpu_backend.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "backends/cpu/session.h"

namespace ringscope::cpu {

namespace {

// Multiply-adds that outweigh waking a thread team; about a millisecond of one core.
constexpr double least_work_for_a_team = 1e7;

}  // namespace

int threads_per_rank(const Plan& plan, int cores) {
  const Problem& p = plan.problem;
  const double ranks = plan.layout.ranks;
  const double pairs_per_attend = static_cast<double>(p.batch * p.heads_q) * static_cast<double>(p.len_q) / ranks *
                                  static_cast<double>(p.len_kv) / ranks;
  if (pairs_per_attend * static_cast<double>(p.dim_qk + p.dim_v) < least_work_for_a_team) return 1;
  const int all = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, (cores > 0 ? cores : all) / plan.layout.ranks);
}

CpuBackend::CpuBackend(const KernelKind& kind, CpuOptions options) : kind_(kind), options_(std::move(options)) {}

BackendInfo CpuBackend::info() const {
  return {"cpu:" + std::string(kind_.name), std::string(kind_.sentence)};
}

Support CpuBackend::supports(const Problem&, const Schedule&) const {
  return {};
}

std::unique_ptr<Session> CpuBackend::open(const Plan& plan, const RunOptions& options) {
  KernelOptions kernel = options_.kernel;
  if (kernel.threads == 0) kernel.threads = threads_per_rank(plan, options.cores);
  if (plan.problem.type == ElementType::f64) {
    return open_session(plan, options, kind_.make_double(kernel), kind_.records_rows, options_);
  }
  return open_session(plan, options, kind_.make_float(kernel), kind_.records_rows, options_);
}

}  // namespace ringscope::cpu
