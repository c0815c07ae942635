// A kernel of somebody else, from a shared library (plugin_api.h), as a backend: `cpu:plugin=FILE`.
#pragma once
#include <memory>
#include <string>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/plugin_worker.h"
#include "core/backend.h"

namespace ringscope::cpu {

class PluginBackend : public Backend {
 public:
  // Loads the library in a process of its own. Throws as PluginWorker does.
  explicit PluginBackend(std::string file, CpuOptions options = {});

  BackendInfo info() const override;
  Support supports(const Problem& problem, const Schedule& schedule) const override;
  // Its ranks share one process of the plug-in. What the plug-in does wrong is a RankError(broken_kernel) of the run.
  std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) override;

 private:
  std::string file_;
  CpuOptions options_;
  std::shared_ptr<PluginWorker> idle_;  // for the next session
  Hello about_;
};

}  // namespace ringscope::cpu
