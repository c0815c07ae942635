// A plug-in's process as a kernel.
#pragma once
#include <memory>
#include <mutex>
#include <optional>

#include "backends/cpu/kernel.h"
#include "backends/cpu/plugin_worker.h"
#include "core/rank_error.h"

namespace ringscope::cpu {

// What the ranks of one session share: one process, one call at a time, and the first thing that went wrong.
struct PluginLine {
  std::shared_ptr<PluginWorker> worker;
  double deadline_seconds = 30;  // of one call
  std::mutex mutex;
  std::optional<RankError> first_error;
};

template <class Real>
std::unique_ptr<Kernel<Real>> make_plugin_kernel(std::shared_ptr<PluginLine> line, const KernelOptions& options);

}  // namespace ringscope::cpu
