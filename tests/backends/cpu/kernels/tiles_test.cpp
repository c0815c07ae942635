#include "backends/cpu/tiles.h"

#include <gtest/gtest.h>

#include "core/layout.h"
#include "core/plan.h"

namespace ringscope::cpu {
namespace {

TEST(Tiles, CoverEveryRowOnceAndCrossNoBlock) {
  const std::vector<std::int64_t> rows = {5, 16, 1, 33};
  for (const std::int64_t size : {1, 3, 16, 64}) {
    std::int64_t next = 0;
    for (const Tile& t : cut_tiles(rows, size)) {
      EXPECT_EQ(t.first, next);
      EXPECT_GE(t.size, 1);
      EXPECT_LE(t.size, size);
      EXPECT_LE(t.begin + t.size, rows[t.block]);
      next += t.size;
    }
    EXPECT_EQ(next, 55);
  }
}

TEST(Tiles, AreEmptyPartialOrFullByTheirPairs) {
  for (const Mask& mask : {Mask{}, Mask{.causal = true}, Mask{.causal = true, .window = Window{6, 0}, .sinks = 2},
                           Mask{.docs = {3, 9, 25}}, Mask{.causal = true, .kv_lens = {11, 30}}}) {
    Problem p;
    p.batch = 2;
    p.len_q = p.len_kv = 30;
    p.mask = mask;
    const Plan plan{p, make_layout({.name = "zigzag"}, p, 2, 1), {}};
    Attend a;
    a.q = {0, 2, 1};
    a.kv = {0, 2, 1};
    const AttendView view(plan, a);
    const auto tiles = cut_tiles(std::vector<std::int64_t>{15, 15}, 4);
    for (std::int64_t batch = 0; batch < 2; ++batch) {
      const TileCover cover(view, batch, tiles, tiles);
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        for (std::size_t j = 0; j < tiles.size(); ++j) {
          std::int64_t pairs = 0;
          for (std::int64_t r = 0; r < tiles[i].size; ++r) {
            for (std::int64_t k = 0; k < tiles[j].size; ++k) {
              pairs += may_see(mask, 30, 30, batch, view.q_positions()[static_cast<std::size_t>(tiles[i].first + r)],
                               view.kv_positions()[static_cast<std::size_t>(tiles[j].first + k)]);
            }
          }
          const Cover want = pairs == 0                               ? Cover::empty
                             : pairs == tiles[i].size * tiles[j].size ? Cover::full
                                                                      : Cover::partial;
          ASSERT_EQ(cover.of(i, j), want) << i << "," << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringscope::cpu
