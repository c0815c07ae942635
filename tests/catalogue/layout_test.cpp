// The museum, hall of layouts: whose token is it, and which head reads which (docs/museum.md, L1 to L13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/catalogue/exhibit.h"
#include "tests/core/damage.h"

namespace ringscope {
namespace {

using testing::ElementsAre;

// L1. Rank r holds chunks r and 2N - 1 - r; a plain slice of the tables has the angles of other tokens.
TEST(Layouts, RotaryTablesSlicedPlainlyTurnZigzagTokensByWrongAngles) {
  const auto with_plain_slices = [](const Exhibit& e) {
    Recipe zigzag = e.c.recipe;
    zigzag.layout.name = "zigzag";
    const auto order = positions_by_rank(make_plan(e.c.problem, zigzag).layout);
    return put_rows(run(e.plan, take_rows(e.reference.inputs, order)), order);
  };
  const Exhibit rotated("b1 h2 s8 d4 f64 rope=100 | contiguous ring r2");
  EXPECT_EQ(rotated.expect_caught(with_plain_slices(rotated), "bounds", Output::o).row, 0);
  const Exhibit unrotated("b1 h2 s8 d4 f64 | contiguous ring r2");
  unrotated.expect_passes(with_plain_slices(unrotated));
  EXPECT_THAT(plan_of("b1 h1 s4 d4 | zigzag ring r2").layout.q[0].positions(), ElementsAre(0, 3));
}

// L3. The ring believes that its tokens were dealt in zigzag; the caller cut the sequence plainly.
TEST(Layouts, PlainTokensInAZigzagRingAreMaskedAtWrongPositions) {
  const Exhibit e("b1 h4 s16 d4 f64 causal | zigzag usp r2x2");
  const auto believed = positions_by_rank(e.plan.layout);
  std::vector<std::int64_t> order(believed.size());
  for (std::size_t k = 0; k < believed.size(); ++k) order[static_cast<std::size_t>(believed[k])] = std::int64_t(k);
  const Outputs wrong = put_rows(run(e.plan, take_rows(e.reference.inputs, order)), order);
  EXPECT_EQ(e.expect_caught(wrong, "bounds", Output::o).row, 2);  // believed to be token 14
}

// L4. [H, S] read as [S, H] after the exchange: every shape is right, every row is another's.
TEST(Layouts, HeadsAndRowsMergedInTheWrongOrderScrambleTheOutput) {
  const Exhibit e("b1 h4 s8 d8 f64 | contiguous ulysses r2 | cpu | needle");
  const Outputs right = e.right();
  Outputs wrong = right;
  const Shape shape = right.o.shape;
  for (std::int64_t h = 0; h < shape.heads; ++h) {
    for (std::int64_t s = 0; s < shape.rows; ++s) {
      const std::int64_t flat = s * shape.heads + h;
      std::copy_n(right.o.row(0, flat / shape.rows, flat % shape.rows), shape.dim, wrong.o.row(0, h, s));
    }
  }
  EXPECT_EQ(e.expect_caught(wrong, "exact", Output::o).head, 0);
}

// L5. What came from N peers lies as [N, B, S/N] and is read as [B, S]: the same for one sample only.
TEST(Layouts, BatchAndSequenceSplitAsOneAxisMixSamples) {
  const auto read_as_one_axis = [](const Tensor& x, std::int64_t peers) {
    Tensor out(x.shape);
    const std::int64_t rows = x.shape.rows, part = rows / peers;
    for (std::int64_t h = 0; h < x.shape.heads; ++h) {
      for (std::int64_t flat = 0; flat < x.shape.batch * rows; ++flat) {
        const std::int64_t peer = flat / (x.shape.batch * part), rest = flat % (x.shape.batch * part);
        std::copy_n(x.row(rest / part, h, peer * part + rest % part), x.shape.dim,
                    out.row(flat / rows, h, flat % rows));
      }
    }
    return out;
  };
  const auto mixed = [&](const Exhibit& e) {
    Inputs inputs = e.reference.inputs;
    inputs.k = read_as_one_axis(inputs.k, 2);
    inputs.v = read_as_one_axis(inputs.v, 2);
    return run(e.plan, inputs);
  };
  const Exhibit one("b1 h2 s4 d4 f64 fwd | contiguous ulysses r2 | cpu | needle");
  one.expect_passes(mixed(one));
  const Exhibit two("b2 h2 s4 d4 f64 fwd | contiguous ulysses r2 | cpu | needle");
  EXPECT_EQ(two.expect_caught(mixed(two), "exact", Output::o).batch, 0);
}

// L6. Sequence first: the target shape of gathering, [S/N, H], was copied from scattering, [S, H/N]. Both have as many
// elements.
TEST(Layouts, TheOtherDirectionsTargetShapeIsMisStrided) {
  const Exhibit e("b1 h4 s8 d8 f64 | contiguous ulysses r2 | cpu | needle");
  const Outputs right = e.right();
  Outputs wrong = right;
  const std::int64_t heads = 4, rows = 8, ranks = 2, mine = heads / ranks, part = rows / ranks;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    for (std::int64_t flat = 0; flat < part * heads; ++flat) {
      std::copy_n(right.o.row(0, rank * mine + flat % mine, flat / mine), right.o.shape.dim,
                  wrong.o.row(0, flat % heads, rank * part + flat / heads));
    }
  }
  EXPECT_EQ(e.expect_caught(wrong, "exact", Output::o).row, 1);
}

Layout dealt(const std::vector<Shard>& shards) {
  return layout_from_shards(shards, shards, 1);
}

// L7. Equal splits of 5 tokens over 2 ranks lose the last one, or invent a sixth.
TEST(Layouts, EqualSplitsOfUnequalLengthsLoseTokens) {
  EXPECT_THROW(dealt({{{0, 1, 0, 2}}, {{2, 1, 0, 2}}}).validate(5, 5), Error);
  EXPECT_THROW(dealt({{{0, 1, 0, 3}}, {{3, 1, 0, 3}}}).validate(5, 5), Error);
  EXPECT_NO_THROW(dealt({{{0, 1, 0, 3}}, {{3, 1, 0, 2}}}).validate(5, 5));
  const Exhibit e("b1 h2 s5 d4 f64 causal | contiguous ulysses r2");
  e.expect_passes(e.right());
}

// L8. 6 tokens in 2N = 4 equal chunks: two tokens have no owner.
TEST(Layouts, EqualZigzagChunksOfUnequalLengthsLoseTokens) {
  EXPECT_THROW(dealt({{{0, 1, 0, 1}, {3, 1, 0, 1}}, {{1, 1, 0, 1}, {2, 1, 0, 1}}}).validate(6, 6), Error);
  const Exhibit e("b1 h2 s6 d4 f64 causal | zigzag ring r2");
  EXPECT_NO_THROW(e.plan.layout.validate(6, 6));
  e.expect_passes(e.right());
}

// L9, as we guess it: a kernel pads its rows to 8, and the padding leaks into the output.
TEST(Layouts, RowsPaddedByAKernelLeakIntoTheShape) {
  const Exhibit e("b1 h1 s4 d4 f64 | contiguous ring r2");
  Outputs wrong = e.right();
  wrong.o = Tensor({1, 1, 8, 4});
  e.expect_caught(wrong, "shape", Output::o);
}

// L10. Tiling the list of KV heads (0, 1, 0, 1) where kernels repeat each of them (0, 0, 1, 1).
TEST(Layouts, KvHeadsTiledInsteadOfRepeatedServeTheWrongQueries) {
  const auto tiled = [](const Exhibit& e) {
    const std::int64_t heads_kv = e.c.problem.heads_kv;
    return e.with({.kv_head = [=](std::int64_t head) { return head % heads_kv; }});
  };
  const Exhibit grouped("b1 h4/2 s8 d4 f64 | contiguous ring r2");
  EXPECT_EQ(grouped.expect_caught(tiled(grouped), "bounds", Output::o).head, 1);
  EXPECT_EQ(grouped.diagnosed(tiled(grouped)), "gqa_head_mod");
  expect_place(verified("b1 h4/2 s8 d4 f64 | contiguous ring r2 | cpu:naive | fault=gqa-head-mod"), "bounds",
               Output::o);
  const Exhibit ungrouped("b1 h4 s8 d4 f64 | contiguous ring r2");
  ungrouped.expect_passes(tiled(ungrouped));
}

// L11. 28 query and 7 KV heads at degree 2: rounded up one by one they are 28 and 8, three and a half to one.
TEST(Layouts, HeadsPaddedOneByOneBreakTheGroup) {
  EXPECT_THROW(parse_case("b1 h28/8 s8 d4 f64 | contiguous ulysses r2"), Error);
  EXPECT_NO_THROW(parse_case("b1 h32/8 s8 d4 f64 | contiguous ulysses r2"));
  EXPECT_THROW(parse_case("b1 h6/3 s8 d4 f64 | contiguous ulysses r2"), Error);  // without padding a KV head is shared
  const Exhibit e("b1 h6/3 s8 d4 f64 | contiguous ulysses r2 kv-copies");
  e.expect_passes(e.right());
}

// L12. One KV head serves two ranks: its gradient is the sum of both copies'.
TEST(Layouts, TheGradientOfOneCopyOfAKvHeadIsNotTheWhole) {
  const Exhibit e("b1 h4/1 s8 d4 f64 | contiguous ulysses r2 kv-copies");
  const auto first_copy_only = [](const RowAt& at, std::vector<Entry>& entries) {
    for (Entry& entry : entries) entry.booked = at.head < 2;
  };
  e.expect_caught(e.with({.entries = first_copy_only}), "bounds", Output::dk);
  expect_refused(e.plan, with_plant(e.plan, "dKV hop dropped"), Rule::gradient);
}

// L13. 12 heads over 4 ranks as another model's 16: 4, 4, 4 and none.
TEST(Layouts, HeadsCountedByAnotherModelDoNotFit) {
  const Plan mine = plan_of("b1 h12 s8 d4 f64 | contiguous ulysses r4");
  Plan mixed = mine;
  mixed.schedule = plan_of("b1 h16 s8 d4 f64 | contiguous ulysses r4").schedule;
  expect_refused(mine, mixed, Rule::shape);
}

}  // namespace
}  // namespace ringscope
