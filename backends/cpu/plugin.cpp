#include "backends/cpu/plugin.h"

#include <utility>

#include "backends/cpu/plugin_kernel.h"
#include "backends/cpu/session.h"

namespace ringscope::cpu {

namespace {

// Of the time without progress that ends a run: the plug-in should be blamed before a rank that waits for it.
constexpr double part_of_deadline = 0.75;

struct Need {
  bool is_there = false;
  std::uint32_t flag = 0;
  const char* what = "";
};

}  // namespace

PluginBackend::PluginBackend(std::string file, CpuOptions options)
    : file_(std::move(file)),
      options_(std::move(options)),
      idle_(std::make_shared<PluginWorker>(file_)),
      about_(idle_->about()) {}

BackendInfo PluginBackend::info() const {
  return {"cpu:plugin=" + file_, "the plug-in `" + std::string(about_.text.data()) + "`"};
}

Support PluginBackend::supports(const Problem& problem, const Schedule& schedule) const {
  const ScoreTerms& terms = problem.terms;
  const bool is_double = problem.type == ElementType::f64;
  const Need needs[] = {
      {is_double, RINGSCOPE_DOUBLE, "double (f64)"},      {!is_double, RINGSCOPE_FLOAT, "float (all types but f64)"},
      {terms.softcap != 0, RINGSCOPE_SOFTCAP, "softcap"}, {terms.alibi, RINGSCOPE_ALIBI, "ALiBi"},
      {terms.dropout != 0, RINGSCOPE_DROPOUT, "dropout"},
  };
  const std::string plugin = "the plug-in `" + std::string(about_.text.data()) + "` ";
  for (const Need& need : needs) {
    if (need.is_there && (about_.supports & need.flag) == 0) return {false, plugin + "does not support " + need.what};
  }
  if (schedule.has_backward() && about_.has_backward == 0) {
    return {false, plugin + "has no ringscope_backward(): only `fwd` can run"};
  }
  return {};
}

std::unique_ptr<Session> PluginBackend::open(const Plan& plan, const RunOptions& options) {
  auto line = std::make_shared<PluginLine>();
  line->worker = idle_ ? std::exchange(idle_, nullptr) : std::make_shared<PluginWorker>(file_);
  line->deadline_seconds = part_of_deadline * options.deadline_seconds;
  if (plan.problem.type == ElementType::f64) {
    return open_session(plan, options, make_plugin_kernel<double>(line, options_.kernel), false, options_);
  }
  return open_session(plan, options, make_plugin_kernel<float>(line, options_.kernel), false, options_);
}

}  // namespace ringscope::cpu
