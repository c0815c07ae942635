#include "tools/stage.h"

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/footprint.h"
#include "core/recipe.h"
#include "tools/memory.h"
#include "tools/progress.h"

namespace ringscope {

void require_room(const Case& c, Needs needs) {
  require_room(needs == Needs::oracle ? footprint_of_verify(c.problem) : footprint_of_run(c.problem),
               free_memory_bytes());
}

Planted stage(const Case& c) {
  const Ticker ticker("plan");
  Plan clean = make_plan(c.problem, c.recipe, {free_memory_bytes()});
  if (c.fault.name.empty()) return {.plan = std::move(clean)};
  std::optional<Planted> planted = plant(clean, c.fault, c.seed);
  if (planted) return std::move(*planted);
  throw Error(ErrorKind::bad_request, "fault=" + c.fault.name, "a fault that this schedule has a place for");
}

RunResult run(const Case& c, const Planted& stage, const Inputs& inputs, const RunOptions& options) {
  const std::unique_ptr<Backend> backend = faulty(make_backend(c.backend), stage);
  const Support support = backend->supports(stage.plan.problem, stage.plan.schedule);
  if (!support.yes) throw Error(ErrorKind::unsupported, support.because, "a case that " + c.backend.name + " can run");
  Progress progress;
  RunOptions told = options;
  told.tell = [&progress](double done) { progress.tell("run", done); };
  return execute(*backend, stage.plan, inputs, told);
}

}  // namespace ringscope
