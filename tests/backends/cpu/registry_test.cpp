#include "backends/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/execute.h"
#include "tests/backends/cpu/run_case.h"

namespace ringscope {
namespace {

ErrorKind kind_of_refusal(const std::string& name) {
  try {
    make_backend({.name = name});
  } catch (const Error& e) {
    EXPECT_FALSE(e.want.empty());
    EXPECT_FALSE(e.fix.empty());
    return e.kind;
  }
  ADD_FAILURE() << name << " was not refused";
  return ErrorKind::fault;
}

TEST(Registry, MakesEveryBackendItLists) {
  ASSERT_FALSE(backend_infos().empty());
  for (const BackendInfo& info : backend_infos()) {
    EXPECT_EQ(make_backend({.name = info.name})->info().name, info.name);
    EXPECT_FALSE(info.sentence.empty());
  }
}

TEST(Registry, CpuIsTheFirst) {
  EXPECT_EQ(make_backend({.name = "cpu"})->info().name, backend_infos().front().name);
}

TEST(Registry, EveryBackendComputesTheOracle) {
  const Plan plan = cpu::plan_of("b1 h6/2 s70 d6/5 f64 causal rope=10000 | zigzag ring r4");
  const Inputs inputs = cpu::random_inputs(plan.problem);
  const Outputs want = oracle<double>(plan.problem, inputs), magnitude = magnitudes(plan.problem, inputs);
  for (const BackendInfo& info : backend_infos()) {
    for (const int tile : {0, 16}) {
      const auto backend = make_backend({.name = info.name, .threads = 2, .tile = tile});
      EXPECT_LE(cpu::largest_error(execute(*backend, plan, inputs).outputs, want, magnitude), 1e-13) << info.name;
    }
  }
}

TEST(Registry, MessagesTakeAsLongAsTheLinkOfTheCaseLineMakesThem) {
  const Case c = parse_case("b1 h2 s16 d4 f32 fwd | contiguous ring r4 | cpu link-mb=1");
  const Plan plan = make_plan(c.problem, c.recipe);
  const RunResult result = execute(*make_backend(c.backend), plan, cpu::random_inputs(plan.problem));
  double end_seconds = 0;
  std::int64_t block_bytes = 0;
  for (const TraceEvent& e : result.trace.events) {
    end_seconds = std::max(end_seconds, e.end_seconds);
    block_bytes = std::max(block_bytes, e.bytes);
  }
  EXPECT_GE(end_seconds, 3 * 0.999e-6 * static_cast<double>(block_bytes));  // three hops, each after the one before
}

TEST(Registry, SaysHowToGetWhatIsMissing) {
  for (const std::string name : {"cuda", "cuda:bitwise", "cuda:mma", "cuda-emu"}) {
    EXPECT_EQ(kind_of_refusal(name), ErrorKind::unsupported) << name;
  }
}

TEST(Registry, RefusesAnUnknownWordWithTheNearestOne) {
  EXPECT_EQ(kind_of_refusal("cpu:naiv"), ErrorKind::bad_request);
  try {
    make_backend({.name = "cpu:naiv"});
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("`cpu:naive`"));
  }
}

}  // namespace
}  // namespace ringscope
