#include "tools/show_run.h"

#include <algorithm>

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/fill.h"
#include "core/recipe.h"
#include "core/schedule_check.h"
#include "pictures/timeline.h"
#include "tools/show_json.h"

namespace ringscope {

namespace {

RunResult run(const Case& c, const Plan& plan, const Inputs& inputs) {
  const std::unique_ptr<Backend> backend = make_backend(c.backend);
  const Support support = backend->supports(plan.problem, plan.schedule);
  if (!support.yes) throw Error(ErrorKind::unsupported, support.because, "a case that " + c.backend.name + " can run");
  return execute(*backend, plan, inputs);
}

}  // namespace

Shown show_timeline(const ShowRequest& request) {
  const Case& c = request.c;
  const Plan plan = make_plan(c.problem, c.recipe);
  const RunResult result = run(c, plan, make_inputs(c.problem, c.fill, c.seed));
  const Timeline timeline = make_timeline(result.trace, plan.layout);
  return {{{"Timeline", "What each rank did when, as measured on this machine.", {draw(timeline)}, {write(timeline)}}},
          to_json(timeline)};
}

}  // namespace ringscope
