#include <benchmark/benchmark.h>

#include "benchmarks/families.h"
#include "core/case.h"
#include "core/error.h"
#include "core/schedule_check.h"

namespace ringscope::bench {

namespace {

void build_and_prove(benchmark::State& state, const std::string& line) {
  const Case c = parse_case(line);
  for (auto _ : state) ensure(prove(make_plan(c.problem, c.recipe)).holds(), "a recipe's plan is right");
}

}  // namespace

void register_proofs() {
  for (const std::string ranks : {"r64", "r256", "r1024"}) {
    for (const std::string direction : {"fwd", "bwd"}) {
      const std::string line = "b1 h1 s8192 d16 f32 " + direction + " causal | zigzag ring " + ranks;
      benchmark::RegisterBenchmark(("proof/" + line).c_str(), [line](benchmark::State& state) {
        build_and_prove(state, line);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace ringscope::bench
