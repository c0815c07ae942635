// The museum, hall of masks: which keys may a query see (docs/museum.md, M1 to M12).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/pair_count.h"
#include "tests/catalogue/exhibit.h"

namespace ringscope {
namespace {

std::int64_t pairs_under(const Problem& problem, const Mask& mask) {
  Problem other = problem;
  other.mask = mask;
  return total_pairs(other);
}

// M1. Halves of blocks that causality would leave empty are skipped, causal or not.
TEST(Masks, TheZigzagShortcutLosesPairsWithoutCausality) {
  const auto shortcut = [](const Exhibit& e) {
    const std::int64_t chunk = e.c.problem.len_q / 4;  // 2N, N = 2
    return e.with({.entries = [=](const RowAt& at, std::vector<Entry>& entries) {
      std::erase_if(entries, [&](const Entry& entry) { return entry.key / chunk > at.query / chunk; });
    }});
  };
  const Exhibit causal("b1 h2 s8 d4 f64 causal | zigzag ring r2");
  causal.expect_passes(shortcut(causal));
  const Exhibit full("b1 h2 s8 d4 f64 | zigzag ring r2");
  EXPECT_EQ(full.expect_caught(shortcut(full), "bounds", Output::o).row, 0);
}

// M2. A hook puts plain causal in the place of whatever mask the layer had.
TEST(Masks, AWindowReplacedByPlainCausalSeesTooMuch) {
  const Exhibit e("b1 h2 s8 d4 f64 causal window=2,0 | contiguous ring r2");
  const Mask plain{.causal = true};
  EXPECT_EQ(e.expect_caught(e.under(plain), "bounds", Output::o).row, 3);
  EXPECT_GT(pairs_under(e.c.problem, plain), total_pairs(e.c.problem));
  EXPECT_EQ(e.diagnosed(e.under(plain)), "window_no_left");
}

// M3. A window under a name that nobody reads is no window; here an unknown word is refused.
TEST(Masks, AWindowUnderAnotherNameIsRefusedNotForgotten) {
  try {
    parse_case("b1 h2 s8 d4 causal windows=2,0");
    FAIL() << "an unknown word was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("window"));
  }
}

// M4. The window shrinks by one block per hop; a width below zero means "no limit" and should have meant "skip".
TEST(Masks, AWindowNarrowedBelowZeroIsNoWindow) {
  const Exhibit e("b1 h2 s8 d4 f64 causal window=3,0 | contiguous ring r4");
  const auto negative_means_unlimited = [](const RowAt& at, std::vector<Entry>& entries) {
    for (std::int64_t hop = 2; hop <= at.query / 2; ++hop) {
      const std::int64_t block = at.query / 2 - hop, width = 3 - 2 * hop;
      if (width >= 0) continue;
      std::erase_if(entries, [&](const Entry& entry) { return entry.key / 2 == block; });
      entries.push_back({.key = 2 * block});
      entries.push_back({.key = 2 * block + 1});
    }
  };
  const Place place = e.expect_caught(e.with({.entries = negative_means_unlimited}), "bounds", Output::o);
  EXPECT_EQ(place.row, 4);  // the first that is two blocks away from another
}

// M5. Top-left where bottom-right is meant: the same for equal lengths.
TEST(Masks, CausalAlignedToTheOtherCornerMovesTheTriangle) {
  const Exhibit e("b1 h2 s2x3 d4 f64 causal | contiguous ring r2");
  EXPECT_EQ(e.expect_caught(e.under({.causal = true, .offset = 0}), "bounds", Output::o).row, 0);
  const Exhibit longer("b1 h2 s4x8 d4 f64 causal | contiguous ring r2");  // off by one would look like strict causal
  EXPECT_EQ(longer.diagnosed(longer.under({.causal = true, .offset = 0})), "causal_top_left");
  const Exhibit equal("b1 h2 s3 d4 f64 causal | contiguous ring r2");
  equal.expect_passes(equal.under({.causal = true, .offset = 0}));
}

// M6. Packed documents in a ring that has no channel for their boundaries.
TEST(Masks, DocumentBoundariesDroppedLetTokensSeeTheNeighbourDocument) {
  const Exhibit packed("b1 h2 s4 d4 f64 causal docs=0,2,4 | contiguous ring r2");
  EXPECT_EQ(packed.expect_caught(packed.under({.causal = true}), "bounds", Output::o).row, 2);
  EXPECT_EQ(packed.diagnosed(packed.under({.causal = true})), "documents_ignored");
  const Exhibit one("b1 h2 s4 d4 f64 causal docs=0,4 | contiguous ring r2");
  one.expect_passes(one.under({.causal = true}));
}

// M7. Off the diagonal a block is full or empty; a triangle in local rows there is wrong.
TEST(Masks, LocalTrianglesInEveryBlockMaskTheWrongKeys) {
  const Exhibit e("b1 h2 s4 d4 f64 causal | contiguous ring r2");
  const auto triangles = [&](bool skip_future) {
    return e.with({.entries = [=](const RowAt& at, std::vector<Entry>& entries) {
      entries.clear();
      for (std::int64_t key = 0; key < 4; ++key) {
        if (skip_future && key / 2 > at.query / 2) continue;
        if (key % 2 <= at.query % 2) entries.push_back({.key = key});
      }
    }});
  };
  EXPECT_EQ(e.expect_caught(triangles(false), "bounds", Output::o).row, 0);
  EXPECT_EQ(e.diagnosed(triangles(false)), "ring_local_positions");
  EXPECT_EQ(e.expect_caught(triangles(true), "bounds", Output::o).row, 2);
}

// M8. Joint tokens that all may see, under one triangle. (Here they stand in front: a mask word for the rear there is
// not, so nobody can ask for it and get the triangle.)
TEST(Masks, JointTokensUnderThePlainTriangleAreHidden) {
  const Exhibit e("b1 h2 s4 d4 f64 prefix=2 | contiguous ring r2");
  EXPECT_EQ(e.expect_caught(e.under({.causal = true}), "bounds", Output::o).row, 0);
  EXPECT_EQ(e.diagnosed(e.under({.causal = true})), "prefix_ignored");
}

// M9. Joint keys attached at the first hop as well as at the last are taken in twice.
TEST(Masks, JointKeysAttachedAtTwoHopsCountTwice) {
  const Exhibit e("b1 h2 s4x5 d4 f64 | contiguous ring r2");
  const auto twice = [](const RowAt&, std::vector<Entry>& entries) { entries.back().times = 2; };
  e.expect_caught(e.with({.entries = twice}), "bounds", Output::o);
  const Violation v = expect_refused(e.plan, with_plant(e.plan, "attend twice"), Rule::coverage);
  EXPECT_GE(v.rank, 0);
}

// M10. Causality encoded as the window (-1, 0) leaks into the cross-attention that shares the settings.
TEST(Masks, ASelfAttentionWindowMakesCrossAttentionCausal) {
  const Mask leaked{.window = Window{-1, 0}};
  const Exhibit cross("b1 h2 s3x8 d4 f64 | contiguous ring r2");
  EXPECT_EQ(cross.expect_caught(cross.under(leaked), "bounds", Output::o).row, 0);
  const Exhibit self("b1 h2 s8 d4 f64 causal | contiguous ring r2");
  self.expect_passes(self.under(leaked));
}

// M11. Every combination of flag and bounds; the forgotten right bound shows only where the flag is off.
TEST(Masks, AForgottenRightBoundOpensTheFuture) {
  for (const std::int64_t left : {-1, 0, 1, 3}) {
    for (const std::int64_t right : {0, 1}) {
      const std::string window = "window=" + std::to_string(left) + "," + std::to_string(right);
      const Mask forgotten{.window = Window{left, -1}};
      const Exhibit off("b1 h2 s4 d4 f64 " + window + " | contiguous ring r2");
      EXPECT_EQ(off.expect_caught(off.under(forgotten), "bounds", Output::o).row, 0) << window;
      EXPECT_GT(pairs_under(off.c.problem, forgotten), total_pairs(off.c.problem));
      const Exhibit on("b1 h2 s4 d4 f64 causal " + window + " | contiguous ring r2");
      on.expect_passes(on.under({.causal = true, .window = Window{left, -1}}));
    }
  }
  const Exhibit e("b1 h2 s4 d4 f64 window=1,0 | contiguous ring r2");
  EXPECT_EQ(e.diagnosed(e.under({.window = Window{1, -1}})), "window_no_right");
}

// M12. Masked keys as scores of -inf: exp(-inf - -inf) in a row that sees nothing, and from there everywhere.
TEST(Masks, ARowThatSeesNothingPoisonsTheGradientsOfEveryKey) {
  const Exhibit e("b1 h2 s6x4 d4 f64 causal | contiguous ring r2");
  const auto masked_by_minus_infinity = [](const RowAt&, std::vector<Entry>& entries) {
    if (!entries.empty()) return;
    for (std::int64_t key = 0; key < 4; ++key) {
      entries.push_back({.key = key, .score = -std::numeric_limits<double>::infinity()});
    }
  };
  const Outputs wrong = e.with({.entries = masked_by_minus_infinity});
  const Place place = e.expect_caught(wrong, "bounds", Output::o);
  EXPECT_EQ(place.row, 0);
  const Report report = e.judged(wrong);
  EXPECT_EQ(e.diagnosed(wrong), "empty_row_nan");
  EXPECT_EQ(report.of(Output::dv).nonfinite, e.c.problem.shape_v().size());
}

}  // namespace
}  // namespace ringscope
