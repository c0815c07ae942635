#include "backends/cpu/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ringscope::cpu {
namespace {

TEST(ParallelFor, CallsEachIndexOnce) {
  for (const int threads : {1, 2, 4}) {
    for (const int n : {0, 1, 2, 3, 17}) {
      std::vector<int> calls(static_cast<std::size_t>(n), 0);
      parallel_for(threads, n, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(n), 1));
    }
  }
}

TEST(ParallelFor, ThrowsWhatTheLowestIndexThrew) {
  for (const int threads : {1, 2, 4}) {
    try {
      parallel_for(threads, 9, [](std::int64_t i) {
        if (i % 4 == 3) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "3");
    }
  }
}

}  // namespace
}  // namespace ringscope::cpu
