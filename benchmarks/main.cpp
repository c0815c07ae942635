// ringscope_bench: Google Benchmark's flags; scripts/performance_page.py turns its JSON into docs/performance.md.
#include <benchmark/benchmark.h>

#include "benchmarks/families.h"

int main(int argc, char** argv) {
  ringscope::bench::register_peaks();
  ringscope::bench::register_kernels();
  ringscope::bench::register_ranks();
  ringscope::bench::register_proofs();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
