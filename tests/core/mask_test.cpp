#include "core/mask.h"

#include <gtest/gtest.h>

#include <random>

#include "core/error.h"

namespace ringscope {
namespace {

struct MaskCase {
  Mask mask;
  std::int64_t len_q, len_kv;
};

std::vector<MaskCase> mask_cases() {
  std::vector<MaskCase> cases;
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 400; ++round) {
    const std::int64_t len_q = 1 + below(20), len_kv = below(2) == 0 ? len_q : 1 + below(20);
    Mask m;
    if (below(2) == 0) m.causal = true;
    if (below(4) == 0) m.prefix = below(static_cast<int>(len_kv) + 1);
    if (below(3) == 0) m.window = Window{below(8) - 1, below(8) - 1};
    if (len_q == len_kv && below(3) == 0) {
      for (std::int64_t d = below(3); d <= len_kv; d += 1 + below(9)) m.docs.push_back(d);
      if (m.docs.size() < 2) m.docs.clear();
    }
    if (len_q == len_kv && below(4) == 0) m.chunk = 1 + below(9);
    if (below(3) == 0) m.sinks = below(5);
    if (below(3) == 0) m.offset = below(30) - 15;
    if (below(4) == 0) m.kv_lens = {below(static_cast<int>(len_kv) + 1), len_kv};
    cases.push_back({m, len_q, len_kv});
  }
  return cases;
}

TEST(Mask, IntervalsAreTheDefinitionPairByPair) {
  for (const auto& [mask, len_q, len_kv] : mask_cases()) {
    mask.validate(2, len_q, len_kv);
    const MaskRows rows(mask, len_q, len_kv);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t i = 0; i < len_q; ++i) {
        const KeyInterval keys = rows.row(b, i);
        for (std::int64_t j = 0; j < len_kv; ++j) {
          ASSERT_EQ(keys.contains(j), may_see(mask, len_q, len_kv, b, i, j)) << "b " << b << " i " << i << " j " << j;
        }
      }
    }
  }
}

TEST(Mask, BoundsNeverFallAndIntervalsNeverOverlap) {
  for (const auto& [mask, len_q, len_kv] : mask_cases()) {
    const MaskRows rows(mask, len_q, len_kv);
    for (std::int64_t i = 0; i < len_q; ++i) {
      const KeyInterval keys = rows.row(0, i);
      EXPECT_GE(keys.lo, 0);
      EXPECT_GE(keys.hi, 0);
      EXPECT_LE(keys.sink_end, std::max(keys.lo, keys.sink_begin));
      if (i == 0) continue;
      EXPECT_GE(keys.lo, rows.row(0, i - 1).lo);
      EXPECT_GE(keys.hi, rows.row(0, i - 1).hi);
    }
  }
}

TEST(Mask, BottomRightIsTheDefaultAlignment) {
  const Mask causal{.causal = true};
  EXPECT_EQ(MaskRows(causal, 3, 5).row(0, 0).hi, 3);
  EXPECT_EQ(MaskRows(causal, 5, 3).row(0, 0).size(), 0);
  const Mask top_left{.causal = true, .offset = 0};
  EXPECT_EQ(MaskRows(top_left, 3, 5).row(0, 0).hi, 1);
}

TEST(Mask, RefusesWhatCannotBe) {
  const auto refuses = [](const Mask& m, std::int64_t len_q = 8, std::int64_t len_kv = 8) {
    EXPECT_THROW(m.validate(1, len_q, len_kv), Error);
  };
  refuses({.prefix = 9});
  refuses({.window = Window{-2, 0}});
  refuses({.docs = {0, 4, 4}});
  refuses({.docs = {0, 9}});
  refuses({.docs = {0, 4}}, 4, 8);
  refuses({.chunk = 2}, 4, 8);
  refuses({.sinks = -1});
  refuses({.kv_lens = {1, 2}});
}

}  // namespace
}  // namespace ringscope
