#include "core/references.h"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

Problem problem_of(std::int64_t len) {
  return {.heads_q = 1, .heads_kv = 1, .len_q = len, .len_kv = len, .dim_qk = 2, .dim_v = 2};
}

TEST(References, TheSameProblemAndDataShareOne) {
  References references;
  const auto first = references.of(problem_of(5), Fill::random, 1);
  EXPECT_EQ(references.of(problem_of(5), Fill::random, 1), first);
  EXPECT_NE(references.of(problem_of(5), Fill::random, 2), first);
  EXPECT_NE(references.of(problem_of(6), Fill::random, 1), first);
  EXPECT_NE(references.of(problem_of(5), Fill::uniform, 1), first);
}

TEST(References, OnlyTheLastFewAreKept) {
  References references;
  const auto first = references.of(problem_of(3), Fill::random, 0);
  for (std::uint64_t seed = 1; seed < 8; ++seed) references.of(problem_of(3), Fill::random, seed);
  EXPECT_EQ(references.of(problem_of(3), Fill::random, 0), first);
  for (std::uint64_t seed = 1; seed < 9; ++seed) references.of(problem_of(4), Fill::random, seed);
  EXPECT_NE(references.of(problem_of(3), Fill::random, 0), first);
}

TEST(References, LargeOnesAreNotKept) {
  References references(1e4);
  const auto large = references.of(problem_of(100), Fill::random, 1);
  EXPECT_NE(references.of(problem_of(100), Fill::random, 1), large);
  const auto small = references.of(problem_of(3), Fill::random, 1);
  EXPECT_EQ(references.of(problem_of(3), Fill::random, 1), small);
}

}  // namespace
}  // namespace ringscope
