#include <benchmark/benchmark.h>

#include "backends/cpu/kernel.h"
#include "benchmarks/families.h"
#include "benchmarks/whole_call.h"

namespace ringscope::bench {

namespace {

enum class Part { forward, backward };

struct KernelBench {
  const cpu::KernelKind* kind;
  Part part;
  std::int64_t dim, length;
  bool is_causal;
  int threads;

  std::string name() const {
    return "kernel/" + std::string(kind->name) + (part == Part::forward ? "/forward" : "/backward") +
           "/d=" + std::to_string(dim) + "/s=" + std::to_string(length) + (is_causal ? "/causal" : "/full") +
           "/threads=" + std::to_string(threads);
  }

  void run(benchmark::State& state) const {
    Problem p;
    p.heads_q = p.heads_kv = 2;
    p.len_q = p.len_kv = length;
    p.dim_qk = p.dim_v = dim;
    p.mask.causal = is_causal;
    const auto kernel = kind->make_float({.threads = threads});
    WholeCall call(p, *kernel);
    for (auto _ : state) part == Part::forward ? call.forward() : call.backward();
    const double flops = part == Part::forward ? call.forward_flops() : call.backward_flops();
    state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
  }
};

void add(const KernelBench& bench) {
  benchmark::RegisterBenchmark(bench.name().c_str(), [bench](benchmark::State& state) { bench.run(state); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_kernels() {
  for (const Part part : {Part::forward, Part::backward}) {
    for (const std::int64_t dim : {64, 128}) {
      for (const std::int64_t length : {1024, 4096}) {
        for (const bool is_causal : {false, true}) {
          for (const int threads : {1, 2}) add({&cpu::kernel_kinds().front(), part, dim, length, is_causal, threads});
        }
      }
    }
    for (const cpu::KernelKind& kind : cpu::kernel_kinds().subspan(1)) add({&kind, part, 64, 1024, true, 1});
  }
}

}  // namespace ringscope::bench
