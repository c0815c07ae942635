// The proof is sound: whatever it accepts, however a plan was damaged, computes the right numbers on free-running
// threads.
#include <gtest/gtest.h>

#include "core/compare.h"
#include "core/schedule_check.h"
#include "tests/backends/cpu/run_case.h"
#include "tests/core/damage.h"

namespace ringscope::cpu {
namespace {

struct Tried {
  int accepted = 0, refused = 0;
};

// Damages the plan again and again; plans that the damage left as they were do not count.
Tried try_damages(const Plan& plan, const Reference& reference, const std::string& line, int tries) {
  Tried tried;
  for (int seed = 0; seed < tries; ++seed) {
    Damage damage(plan, static_cast<std::uint64_t>(seed));
    for (std::size_t changes = 1 + damage.below(2); changes > 0; --changes) change_anything(damage);
    const Plan damaged = damage.plan();
    if (damaged == plan) continue;
    if (!prove(damaged).holds()) {
      ++tried.refused;
      continue;
    }
    ++tried.accepted;
    const Report report = compare(plan.problem, reference, run(damaged, reference.inputs).outputs);
    EXPECT_EQ(report.verdict, Verdict::passed) << line << ", seed " << seed << ": " << report.reason;
  }
  return tried;
}

TEST(Soundness, DamagedPlansThatAreProvedComputeTheRightNumbers) {
  const std::string problem = "h3/1 s9 d2 f64 causal sink-logit";
  const Problem p = plan_of(problem).problem;
  Problem forward = p;
  forward.direction = Direction::forward;
  const Reference both_ways = make_reference(p, Fill::random, 1), one_way = make_reference(forward, Fill::random, 1);
  Tried all;
  for (const std::string& line : lines_of_every_schedule(problem, "zigzag", {3, 4})) {
    const Plan plan = plan_of(line);
    const Tried tried = try_damages(plan, plan.problem.has_backward() ? both_ways : one_way, line, 100);
    all.accepted += tried.accepted;
    all.refused += tried.refused;
  }
  EXPECT_GT(all.accepted, 200);
  EXPECT_GT(all.refused, all.accepted);
}

}  // namespace
}  // namespace ringscope::cpu
