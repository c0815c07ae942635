#include <benchmark/benchmark.h>

#include "backends/cpu/parallel.h"
#include "benchmarks/families.h"
#include "benchmarks/fma_peak.h"

namespace ringscope::bench {

void register_peaks() {
  for (const FmaPeak& peak : fma_peaks()) {
    for (const int threads : {1, 2}) {
      const auto run = [&peak, threads](benchmark::State& state) {
        for (auto _ : state) cpu::parallel_for(threads, threads, [&](std::int64_t) { peak.run(); });
        state.counters["flops"] =
            benchmark::Counter(peak.flops_per_call * threads, benchmark::Counter::kIsIterationInvariantRate);
      };
      const std::string name = "peak/" + std::string(peak.name) + "/threads=" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime()->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace ringscope::bench
