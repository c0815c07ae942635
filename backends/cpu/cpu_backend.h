// The CPU as a backend: ranks are threads with mailboxes, kernels come in kinds.
#pragma once
#include <memory>

#include "backends/cpu/clock.h"
#include "backends/cpu/kernel.h"
#include "core/backend.h"

namespace ringscope::cpu {

struct CpuOptions {
  KernelOptions kernel{.threads = 0};  // threads 0: the cores over the ranks; 1 where attends are tiny
  double link_bytes_per_second = 0;    // of each ordered pair of ranks, so that overlap can be seen; 0: no limit
  std::shared_ptr<Clock> clock;        // absent: real time
};

// How many threads a rank's kernel gets where nobody says: the cores (0: all) over the ranks, so that no core has two;
// one where an attend is tiny, since waking a team would take longer than the work.
int threads_per_rank(const Plan& plan, int cores);

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(const KernelKind& kind, CpuOptions options = {});

  BackendInfo info() const override;
  Support supports(const Problem& problem, const Schedule& schedule) const override;
  bool can_misbehave() const override { return true; }
  std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) override;

 private:
  KernelKind kind_;
  CpuOptions options_;
};

}  // namespace ringscope::cpu
