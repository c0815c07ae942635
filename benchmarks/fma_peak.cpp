#include "benchmarks/fma_peak.h"

#include <array>
#include <cmath>
#include <vector>

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace ringscope::bench {

namespace {

constexpr int rounds = 200000;
constexpr int chains = 10;  // independent ones, more than the latency of an fma times the units that do them

// Keeps the compiler from leaving out work whose result nobody reads.
template <class T>
void use(T& x) {
  asm volatile("" : "+x"(x));
}

#if defined(__AVX2__) && defined(__FMA__)
void run_avx2() {
  __m256 a[chains];
  __m256 b = _mm256_set1_ps(0.999F), c = _mm256_set1_ps(1e-3F);
  use(b);
  use(c);
  for (__m256& x : a) x = c;
  for (int n = 0; n < rounds; ++n) {
    for (__m256& x : a) x = _mm256_fmadd_ps(x, b, c);
  }
  for (__m256& x : a) use(x);
}

__attribute__((target("avx512f"))) void run_avx512() {
  __m512 a[chains];
  __m512 b = _mm512_set1_ps(0.999F), c = _mm512_set1_ps(1e-3F);
  use(b);
  use(c);
  for (__m512& x : a) x = c;
  for (int n = 0; n < rounds; ++n) {
    for (__m512& x : a) x = _mm512_fmadd_ps(x, b, c);
  }
  for (__m512& x : a) use(x);
}
#else
void run_generic() {
  std::array<float, 4 * chains> a{};
  for (int n = 0; n < rounds; ++n) {
    for (float& x : a) x = std::fma(x, 0.999F, 1e-3F);
  }
  volatile float sum = 0;
  for (const float x : a) sum = sum + x;
}
#endif

std::vector<FmaPeak> peaks_here() {
#if defined(__AVX2__) && defined(__FMA__)
  std::vector<FmaPeak> peaks = {{"avx2", 2.0 * 8 * chains * rounds, run_avx2}};
  if (__builtin_cpu_supports("avx512f")) peaks.push_back({"avx512", 2.0 * 16 * chains * rounds, run_avx512});
  return peaks;
#else
  return {{"generic", 2.0 * 4 * chains * rounds, run_generic}};
#endif
}

}  // namespace

std::span<const FmaPeak> fma_peaks() {
  static const std::vector<FmaPeak> peaks = peaks_here();
  return peaks;
}

}  // namespace ringscope::bench
