#include "tools/stage.h"

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/fill.h"
#include "core/recipe.h"
#include "tools/memory.h"
#include "tools/progress.h"

namespace ringscope {

void require_known_backend(const BackendChoice& choice) {
  try {
    make_backend(choice);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
  }
}

void require_room(const Footprint& footprint) {
  require_room(footprint, free_memory_bytes());
}

Planted stage(const Case& c) {
  const Ticker ticker("plan");
  Plan clean = make_plan(c.problem, c.recipe, {free_memory_bytes()});
  if (c.fault.name.empty()) return {.plan = std::move(clean)};
  std::optional<Planted> planted = plant(clean, c.fault, c.seed);
  if (planted) return std::move(*planted);
  throw Error(ErrorKind::bad_request, "the fault " + c.fault.name + ", which does not apply",
              "a fault that this case has a place for", why_no_site(*find_fault(c.fault.name), clean, c.fault));
}

Inputs filled(const Case& c) {
  const Ticker ticker("fill");
  return make_inputs(c.problem, c.fill, c.seed);
}

Proof prove_told(const Plan& plan) {
  Ticker ticker("proof");
  return prove(plan, {.tell = ticker.teller()});
}

RunResult run(const Case& c, const Planted& stage, const Inputs& inputs, const RunOptions& options) {
  const std::unique_ptr<Backend> backend = faulty(make_backend(c.backend), stage);
  const Support support = backend->supports(stage.plan.problem, stage.plan.schedule);
  if (!support.yes) throw Error(ErrorKind::unsupported, support.because, "a case that " + c.backend.name + " can run");
  Ticker ticker("run");
  RunOptions told = options;
  told.tell = ticker.teller();
  return execute(*backend, stage.plan, inputs, told);
}

}  // namespace ringscope
