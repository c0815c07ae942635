#include "backends/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include "core/recipe.h"

namespace ringscope::cpu {
namespace {

Plan large_plan_of(std::int64_t len, int ranks) {
  return make_plan({.len_q = len, .len_kv = len, .dim_qk = 64, .dim_v = 64}, {.ranks = {1, ranks, false}});
}

TEST(CpuBackend, TheThreadsOfAllRanksFitTheCoresThatARunMayUse) {
  for (const int ranks : {1, 2, 3, 5}) {
    for (const int cores : {1, 2, 8, 13}) {
      const int threads = threads_per_rank(large_plan_of(4096, ranks), cores);
      EXPECT_EQ(threads, std::max(1, cores / ranks)) << ranks << " ranks, " << cores << " cores";
    }
  }
}

TEST(CpuBackend, TinyAttendsGetOneThread) {
  EXPECT_EQ(threads_per_rank(large_plan_of(16, 2), 8), 1);
}

}  // namespace
}  // namespace ringscope::cpu
