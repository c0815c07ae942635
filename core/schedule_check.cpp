#include "core/schedule_check.h"

#include <string>

#include "core/error.h"
#include "core/head_units.h"
#include "core/plan_shape.h"
#include "core/program_check.h"
#include "core/symbolic_run.h"
#include "core/tile_pairs.h"
#include "core/violation_log.h"

namespace ringscope {

std::string_view name_of(Rule rule) {
  switch (rule) {
    case Rule::presence:
      return "presence";
    case Rule::overwrite:
      return "overwrite";
    case Rule::coverage:
      return "coverage";
    case Rule::heads:
      return "heads";
    case Rule::combine:
      return "combine";
    case Rule::state_owner:
      return "state-owner";
    case Rule::finish:
      return "finish";
    case Rule::gradient:
      return "gradient";
    case Rule::home:
      return "home";
    case Rule::leak:
      return "leak";
    case Rule::match:
      return "match";
    case Rule::wait_cycle:
      return "wait-cycle";
    case Rule::shape:
      return "shape";
  }
  return "";
}

Proof prove(const Plan& plan, const ProofOptions& options) {
  ViolationLog log(options.most_violations);
  check_shape(plan, log);
  if (!log.empty()) return {log.take(), {}};
  log.set_steps(plan.schedule.steps());
  const HeadUnits units(plan);
  const std::int64_t blocks = plan.layout.blocks();
  if (blocks * blocks * units.count(Side::q) > most_head_tiles) {
    throw Error(ErrorKind::bad_request,
                "too large to prove: " + std::to_string(blocks) + " blocks and " +
                    std::to_string(units.count(Side::q)) + " head ranges that travel apart",
                "blocks x blocks x head ranges up to 2^30", "take fewer ranks or heads");
  }
  check_programs(plan.schedule, index_by_rank(plan.schedule, plan.layout.ranks), log);
  const TilePairs tiles(plan);
  SymbolicRun run(plan, units, tiles, log);
  run.run(options.tell);
  return {log.take(), run.facts()};
}

}  // namespace ringscope
