// Faults of the numbers, planted into the CPU backend: nothing else changes, and every kernel is subject to them.
#include "core/faults/mishap.h"

#include <gtest/gtest.h>

#include "backends/registry/registry.h"
#include "core/execute.h"
#include "core/faults/misbehaving.h"
#include "core/fill.h"
#include "core/recipe.h"
#include "core/suites.h"
#include "core/ulps.h"
#include "core/verify.h"

namespace ringscope {
namespace {

constexpr const char* kernels[] = {"cpu:naive", "cpu:bitwise", "cpu:eigen"};

TEST(Mishap, OneThatTouchesNothingLeavesEveryBit) {
  for (const Case& c : suite_cases("smoke")) {
    const Plan plan = make_plan(c.problem, c.recipe);
    const Inputs inputs = make_inputs(c.problem, c.fill, c.seed);
    Mishap nothing;
    nothing.read = [](const Spot&, const HeldBlock*, HeldBlock&) {};
    nothing.landed = [](const Spot&, const HeldBlock*, HeldBlock&) {};
    nothing.sees = [](const Spot&, const MeetingPair& pair) { return pair.allowed; };
    nothing.stats_used = [](const RowStats&, RowStats&) {};
    const auto wrong = misbehaving(make_backend({.name = "cpu:bitwise"}), nothing, {});
    const auto right = make_backend({.name = "cpu:bitwise"});
    const Outputs a = execute(*wrong, plan, inputs).outputs, b = execute(*right, plan, inputs).outputs;
    EXPECT_TRUE(agreement(plan.problem, a, b).same_bits()) << to_line(c);
  }
}

TEST(Mishap, EveryKernelIsSubjectToIt) {
  References references;
  for (const char* fault : {"strict-causal", "merge-weights-swapped", "delta-local", "dkv-one-hop-short",
                            "gqa-head-mod", "scale-twice", "stale-kv", "lse-base-2", "dkv-overwritten"}) {
    for (const char* kernel : kernels) {
      Case c = parse_case("b2 h6/2 s23 d10/7 f32 causal scale=0.3 | zigzag ring r3 | cpu | random seed=5");
      c.backend.name = kernel;
      EXPECT_EQ(verify(c, references, {.make_backend = make_backend}).report.verdict, Verdict::passed) << kernel;
      c.fault.name = fault;
      EXPECT_EQ(verify(c, references, {.make_backend = make_backend}).report.verdict, Verdict::failed)
          << fault << " on " << kernel;
    }
  }
}

TEST(Mishap, ItHappensWhereItsSiteSaysAlone) {
  References references;
  Case c =
      parse_case("h2 s24 f32 causal | zigzag ring r3 | cpu:naive | random seed=5 fault=merge-weights-swapped@r2,t1");
  const Report report = verify(c, references, {.make_backend = make_backend}).report;
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->rank, 2);
  EXPECT_EQ(report.where->step, 1);
}

// A backend that never asks a Mishap.
class Honest : public Backend {
 public:
  BackendInfo info() const override { return {"honest", "computes rightly whatever it is told"}; }
  Support supports(const Problem&, const Schedule&) const override { return {}; }
  std::unique_ptr<Session> open(const Plan&, const RunOptions&) override { return nullptr; }
};

TEST(Mishap, ABackendThatCannotMisbehaveIsSkipped) {
  References references;
  const Case c = parse_case("causal | ring r2 | cpu | random fault=strict-causal");
  const auto honest = [](const BackendChoice&) -> std::unique_ptr<Backend> { return std::make_unique<Honest>(); };
  EXPECT_EQ(verify(c, references, {.make_backend = honest}).report.verdict, Verdict::skipped);
}

}  // namespace
}  // namespace ringscope
