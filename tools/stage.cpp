#include "tools/stage.h"

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/recipe.h"

namespace ringscope {

Planted stage(const Case& c) {
  std::optional<Planted> planted = plant(make_plan(c.problem, c.recipe), c.fault, c.seed);
  if (planted) return std::move(*planted);
  throw Error(ErrorKind::bad_request, "fault=" + c.fault.name, "a fault that this schedule has a place for");
}

RunResult run(const Case& c, const Planted& stage, const Inputs& inputs, const RunOptions& options) {
  const std::unique_ptr<Backend> backend = faulty(make_backend(c.backend), stage);
  const Support support = backend->supports(stage.plan.problem, stage.plan.schedule);
  if (!support.yes) throw Error(ErrorKind::unsupported, support.because, "a case that " + c.backend.name + " can run");
  return execute(*backend, stage.plan, inputs, options);
}

}  // namespace ringscope
