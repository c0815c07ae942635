#include "core/foreign/block_shares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/diagnosis/rank_rows.h"
#include "core/diagnosis/what_if.h"
#include "core/fill.h"
#include "core/oracle.h"
#include "core/recipe.h"
#include "core/tensor_of.h"

namespace ringscope {
namespace {

// A run whose rank 2 went wrong as `mistake` says.
struct ShareScene {
  Evidence evidence;

  ShareScene(const char* layout, const Mask& mask, int blocks_per_rank = 1) {
    Problem p{
        .batch = 2, .heads_q = 4, .heads_kv = 2, .len_q = 37, .len_kv = 37, .dim_qk = 8, .dim_v = 6, .mask = mask};
    evidence.problem = p;
    evidence.inputs = make_inputs(p, Fill::random, 4);
    evidence.right = oracle<double>(p, evidence.inputs);
    evidence.layout = make_layout({.name = layout}, p, 4, blocks_per_rank);
    evidence.divisor.fill(1e-7);
  }

  std::vector<BlockShares> spoil(
      const std::function<void(const RankRows&, const RowAt&, std::vector<Entry>&)>& change) {
    const RankRows rows(*evidence.layout, evidence.problem);
    Mistake mistake;
    mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) { change(rows, at, entries); };
    evidence.given = what_if(evidence.problem, evidence.inputs, mistake);
    for (int n = 0; n < output_kinds; ++n) {
      const Output output = static_cast<Output>(n);
      const bool wrong = tensor_of(evidence.given, output).values != tensor_of(evidence.right, output).values;
      evidence.figures[static_cast<std::size_t>(n)] = {.present = true,
                                                       .verdict = wrong ? Verdict::failed : Verdict::passed};
    }
    return block_shares(evidence);
  }
};

// All are 1 but those from rank `from` to rank 2.
void expect_shares(const BlockShares& shares, int from, double want) {
  for (int r = 0; r < shares.ranks; ++r) {
    for (int other = 0; other < shares.ranks; ++other) {
      const double taken = shares.taken[static_cast<std::size_t>(r * shares.ranks + other)];
      if (std::isnan(taken)) continue;
      EXPECT_NEAR(taken, r == 2 && other == from ? want : 1, 1e-5) << r << " " << other;
    }
    const double explained = shares.explained[static_cast<std::size_t>(r)];
    EXPECT_EQ(std::isnan(explained), r != 2) << r;
    EXPECT_TRUE(r != 2 || explained > 0.999) << explained;
  }
}

TEST(BlockShares, OneBlockMissingOrTwiceIsTheCellOfItsRanks) {
  for (const char* layout : {"contiguous", "zigzag", "striped"}) {
    for (const double times : {0.0, 2.0}) {
      for (const bool has_lse : {true, false}) {
        ShareScene scene(layout, {});
        scene.spoil([&](const RankRows& rows, const RowAt& at, std::vector<Entry>& entries) {
          for (Entry& x : entries) {
            if (rows.of_query(at.query).rank == 2 && rows.of_key(x.key).rank == 1) x.times = times;
          }
        });
        if (!has_lse) scene.evidence.given.lse = {};
        const auto shares = block_shares(scene.evidence);
        ASSERT_FALSE(shares.empty());
        EXPECT_EQ(shares[0].output, Output::o);
        if (has_lse) expect_shares(shares[0], 1, times);
        if (has_lse) continue;
        // Without lse only ratios of weights are known: the others may be too heavy instead.
        const auto at = [&](int kv) { return shares[0].taken[static_cast<std::size_t>(2 * 4 + kv)]; };
        EXPECT_NEAR(at(1), times * at(0), 1e-3);
      }
    }
  }
}

TEST(BlockShares, CausalRanksThatNeverMeetHaveNoShare) {
  ShareScene scene("contiguous", {.causal = true});
  const auto shares = scene.spoil([](const RankRows& rows, const RowAt& at, std::vector<Entry>& entries) {
    if (rows.of_query(at.query).rank == 2)
      std::erase_if(entries, [&](const Entry& x) { return rows.of_key(x.key).rank == 0; });
  });
  expect_shares(shares.at(0), 0, 0);
  EXPECT_TRUE(std::isnan(shares[0].taken[2 * 4 + 3]));
}

TEST(BlockShares, TwoBlocksOfOneRankAreOneShare) {
  ShareScene scene("zigzag", {.causal = true}, 2);
  const auto shares = scene.spoil([](const RankRows& rows, const RowAt& at, std::vector<Entry>& entries) {
    if (rows.of_query(at.query).rank == 2)
      std::erase_if(entries, [&](const Entry& x) { return rows.of_key(x.key).rank == 3; });
  });
  expect_shares(shares.at(0), 3, 0);
}

TEST(BlockShares, LostGradientsAreSharesOfQueries) {
  ShareScene scene("zigzag", {.causal = true});
  const auto shares = scene.spoil([](const RankRows& rows, const RowAt& at, std::vector<Entry>& entries) {
    for (Entry& x : entries) x.booked = rows.of_key(x.key).rank != 2 || rows.of_query(at.query).rank != 1;
  });
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].output, Output::dk);
  EXPECT_EQ(shares[1].output, Output::dv);
  for (const BlockShares& s : shares) expect_shares(s, 1, 0);
}

// Half a block is no whole share: little is explained, and that is said.
TEST(BlockShares, WhatIsNoWholeShareIsNotExplained) {
  ShareScene scene("contiguous", {});
  const auto shares = scene.spoil([](const RankRows& rows, const RowAt& at, std::vector<Entry>& entries) {
    if (rows.of_query(at.query).rank == 2)
      std::erase_if(entries, [&](const Entry& x) { return x.key % 5 == at.query % 5; });
  });
  EXPECT_LT(shares.at(0).explained[2], 0.9);
}

TEST(BlockShares, NoLayoutOrOneRankHasNone) {
  ShareScene scene("contiguous", {});
  scene.evidence.layout.reset();
  const Mistake nothing;
  scene.evidence.given = what_if(scene.evidence.problem, scene.evidence.inputs, nothing);
  scene.evidence.figures[0] = {.present = true, .verdict = Verdict::failed};
  EXPECT_TRUE(block_shares(scene.evidence).empty());
}

}  // namespace
}  // namespace ringscope
