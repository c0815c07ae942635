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
