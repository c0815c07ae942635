#include "core/layout.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/attend_view.h"
#include "core/error.h"
#include "core/pair_count.h"
#include "core/problem.h"

namespace ringscope {
namespace {

constexpr int rank_counts[] = {1, 2, 3, 5, 8};
constexpr std::int64_t lengths[] = {1, 2, 7, 16, 17, 33};

Problem problem_of(std::int64_t len, Mask mask = {}) {
  Problem p;
  p.len_q = p.len_kv = len;
  p.mask = std::move(mask);
  return p;
}

template <class Check>
void for_each_layout(const Check& check) {
  for (const LayoutKind& kind : layout_kinds()) {
    for (const int ranks : rank_counts) {
      for (const std::int64_t len : lengths) {
        for (const int blocks_per_rank : {1, 2}) {
          for (const std::int64_t stripe : {1, 3}) {
            const Problem p =
                problem_of(len, {.docs = len > 3 ? std::vector<std::int64_t>{1, 3, len} : std::vector<std::int64_t>{}});
            check(make_layout({.name = std::string(kind.name), .stripe = stripe}, p, ranks, blocks_per_rank), p);
          }
        }
      }
    }
  }
}

TEST(Layout, EveryTokenHasExactlyOneOwner) {
  for_each_layout([](const Layout& layout, const Problem& p) { layout.validate(p.len_q, p.len_kv); });
}

TEST(Layout, ValidateSeesALostAndADoubledToken) {
  Layout layout = make_layout({.name = "zigzag"}, problem_of(16), 2, 1);
  layout.q[0] = BlockRows({{0, 1, 0, 4}});
  EXPECT_THROW(layout.validate(16, 16), Error);
  layout.q[0] = BlockRows({{0, 1, 0, 5}, {12, 1, 0, 4}});
  EXPECT_THROW(layout.validate(16, 16), Error);
}

TEST(Layout, CountBelowIsTheCountOfPositionsBelow) {
  for (const Range r : {Range{3, 1, 0, 5}, Range{2, 4, 7, 3}, Range{0, 5, 2, 1}, Range{4, 3, 3, 3}}) {
    std::int64_t count = 0;
    for (std::int64_t p = 0; p < 40; ++p) {
      EXPECT_EQ(r.count_below(p), count);
      for (std::int64_t k = 0; k < r.size(); ++k) count += r.position(k) == p;
    }
  }
}

TEST(Layout, FirstPiecesHoldOneRowMore) {
  const Layout layout = make_layout({}, problem_of(50), 4, 1);
  EXPECT_EQ(layout.rows(Side::q, 0), 13);
  EXPECT_EQ(layout.rows(Side::q, 1), 13);
  EXPECT_EQ(layout.rows(Side::q, 2), 12);
  EXPECT_EQ(layout.rows(Side::q, 3), 12);
}

TEST(Layout, ZigzagPairsTheFirstChunkWithTheLast) {
  const Layout layout = make_layout({.name = "zigzag"}, problem_of(16), 2, 1);
  EXPECT_EQ(layout.q[0].positions(), (std::vector<std::int64_t>{0, 1, 2, 3, 12, 13, 14, 15}));
  EXPECT_EQ(layout.q[1].positions(), (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Layout, TextRoundTrips) {
  for_each_layout([](const Layout& layout, const Problem&) {
    EXPECT_EQ(parse_layout_text(layout_text(layout), layout.ranks), layout);
  });
}

TEST(Layout, MalformedTextNamesLineAndColumn) {
  for (const char* text : {"rank 0 q 0:1:0:8\nrank 0 kv 0:1:0\n", "rank 0 q 0:1:0:8\nrank 0 kx 0:1:0:8\n",
                           "rank 0 q 0:1:0:8\nrank 9 kv 0:1:0:8\n", "rank 0 q 0:1:0:8\nrank 0 kv 0:x:0:8\n"}) {
    try {
      parse_layout_text(text, 1);
      FAIL() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::bad_file);
      EXPECT_NE(e.got.find("line 2"), std::string::npos) << e.what();
      EXPECT_NE(e.got.find("column"), std::string::npos) << e.what();
    }
  }
}

TEST(Layout, MoreRowsThanCanBeCountedAreRefused) {
  std::string text = "rank 0 q";
  for (int n = 0; n < 3; ++n) text += " 0:1:0:1099511627776";
  EXPECT_THROW(parse_layout_text(text + "\nrank 0 kv 0:1:0:8\n", 1), Error);
}

std::vector<Mask> masks(std::int64_t len) {
  std::vector<Mask> out{{},
                        {.causal = true},
                        {.prefix = len / 2},
                        {.causal = true, .window = Window{3, 0}, .sinks = 2},
                        {.window = Window{2, 2}},
                        {.offset = -3},
                        {.causal = true, .kv_lens = {len / 2}}};
  if (len > 3) out.push_back({.causal = true, .docs = {0, 3, len}});
  if (len > 3) out.push_back({.causal = true, .chunk = 3});
  return out;
}

TEST(PairCount, EqualsThePairsOneByOne) {
  for (const std::int64_t len : lengths) {
    for (const Mask& mask : masks(len)) {
      const Problem p = problem_of(len, mask);
      for (const LayoutKind& kind : layout_kinds()) {
        const Layout layout = make_layout({.name = std::string(kind.name), .stripe = 2}, p, 3, 2);
        const PairCounter counter(p, layout);
        std::int64_t sum = 0;
        for (int a = 0; a < layout.blocks(); ++a) {
          for (int b = 0; b < layout.blocks(); ++b) {
            std::int64_t want = 0;
            for (const std::int64_t i : layout.q[static_cast<std::size_t>(a)].positions()) {
              for (const std::int64_t j : layout.kv[static_cast<std::size_t>(b)].positions()) {
                want += may_see(mask, len, len, 0, i, j);
              }
            }
            ASSERT_EQ(counter.pairs(a, b), want);
            sum += want;
          }
        }
        EXPECT_EQ(total_pairs(p), sum);
      }
    }
  }
}

TEST(AttendView, SpansAreTheAllowedKeysInSliceOrder) {
  for (const std::int64_t len : lengths) {
    for (const Mask& mask : masks(len)) {
      const Problem p = problem_of(len, mask);
      const Layout layout = make_layout({.name = "zigzag"}, p, 3, 1);
      const Plan plan{p, layout, {}};
      Attend a;
      a.q = {0, 2, 1};
      a.kv = {2, 2, -1};
      const AttendView view(plan, a);
      for (std::int64_t row = 0; row < view.rows(); ++row) {
        std::vector<bool> seen(static_cast<std::size_t>(view.keys()), false);
        std::int32_t last = -1;
        for (const LocalSpan& s : view.spans(0, row)) {
          EXPECT_GT(s.begin, last);
          EXPECT_LT(s.begin, s.end);
          last = s.end;
          std::fill(seen.begin() + s.begin, seen.begin() + s.end, true);
        }
        for (std::int64_t key = 0; key < view.keys(); ++key) {
          ASSERT_EQ(seen[static_cast<std::size_t>(key)],
                    may_see(mask, len, len, 0, view.q_positions()[static_cast<std::size_t>(row)],
                            view.kv_positions()[static_cast<std::size_t>(key)]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ringscope
