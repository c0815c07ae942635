#include <benchmark/benchmark.h>

#include "backends/registry/registry.h"
#include "benchmarks/families.h"
#include "core/case.h"
#include "core/execute.h"

namespace ringscope::bench {

namespace {

// Seconds are those of the run alone: without uploads, plans and oracle.
void run_case(benchmark::State& state, const std::string& line) {
  const Case c = parse_case(line);
  const Plan plan = make_plan(c.problem, c.recipe);
  const Inputs inputs = make_inputs(c.problem, c.fill, c.seed);
  const auto backend = make_backend(c.backend);
  for (auto _ : state) state.SetIterationTime(execute(*backend, plan, inputs).seconds);
}

}  // namespace

void register_ranks() {
  for (const std::string problem : {"b1 h8 s2048 d64 f32 fwd causal", "b1 h8 s2048 d64 f32 bwd causal"}) {
    for (const std::string recipe : {"contiguous ring r1", "zigzag ring r8"}) {
      const std::string line = problem + " | " + recipe;
      benchmark::RegisterBenchmark(("ranks/" + line).c_str(),
                                   [line](benchmark::State& state) { run_case(state, line); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace ringscope::bench
