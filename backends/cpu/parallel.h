// The one place where kernels meet threads.
#pragma once
#include <cstdint>
#include <exception>

namespace ringscope::cpu {

// libgomp is not built with the thread sanitizer, which then reports races that are none.
#ifdef __SANITIZE_THREAD__
inline constexpr bool openmp_is_used = false;
#else
inline constexpr bool openmp_is_used = true;
#endif

// How many of `threads` are worth waking: a team costs about as much as a tenth of a millisecond's work.
inline int team_for(int threads, double multiply_adds) {
  return multiply_adds < 2e6 ? 1 : threads;
}

// f(0) .. f(n - 1), each once, on at most `threads` threads, in any order; what one throws is thrown here afterwards
// (the one of the lowest index).
template <class Function>
void parallel_for(int threads, std::int64_t n, const Function& f) {
  if (!openmp_is_used || threads <= 1 || n <= 1) {
    for (std::int64_t i = 0; i < n; ++i) f(i);
    return;
  }
  std::exception_ptr first;
  std::int64_t first_index = n;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t i = 0; i < n; ++i) {
    try {
      f(i);
    } catch (...) {
#pragma omp critical(ringscope_parallel_for)
      if (i < first_index) {
        first_index = i;
        first = std::current_exception();
      }
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace ringscope::cpu
