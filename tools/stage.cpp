#include "tools/stage.h"

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/faults/transport.h"
#include "core/recipe.h"

namespace ringscope {

Stage stage(const Case& c) {
  Stage out{.plan = make_plan(c.problem, c.recipe)};
  if (c.fault.name.empty()) return out;
  out.fault = find_fault(c.fault.name);
  ensure(out.fault != nullptr, "a case names a known fault");
  const std::optional<FaultSite> site = choose_site(*out.fault, out.plan, c.fault, c.seed);
  if (!site) throw Error(ErrorKind::bad_request, "fault=" + c.fault.name, "a fault that this schedule has a place for");
  out.site = *site;
  if (out.fault->damage != nullptr) out.fault->damage(out.plan, out.site);
  return out;
}

RunResult run(const Case& c, const Stage& stage, const Inputs& inputs, const RunOptions& options) {
  std::unique_ptr<Backend> backend = make_backend(c.backend);
  const Support support = backend->supports(stage.plan.problem, stage.plan.schedule);
  if (!support.yes) throw Error(ErrorKind::unsupported, support.because, "a case that " + c.backend.name + " can run");
  const bool in_the_world = stage.fault != nullptr && stage.fault->family == FaultFamily::transport;
  if (in_the_world) backend = with_fault(std::move(backend), *stage.fault, stage.site);
  return execute(*backend, stage.plan, inputs, options);
}

}  // namespace ringscope
