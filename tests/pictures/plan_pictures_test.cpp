#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/error.h"
#include "core/recipe.h"
#include "pictures/counts_table.h"
#include "pictures/layout_strip.h"
#include "pictures/mask_map.h"
#include "pictures/pair_picture.h"
#include "pictures/ring_step.h"
#include "pictures/schedule_table.h"
#include "pictures/terminal.h"
#include "tests/pictures/picture_checks.h"

namespace ringscope {
namespace {

template <class Model>
void expect_sound(const Model& model, const std::string& name) {
  EXPECT_EQ(picture_fault(draw(model)).value_or(""), "") << name;
  EXPECT_EQ(sheet_fault(write(model)).value_or(""), "") << name;
}

TEST(PlanPictures, StayInsideTheirFrameAnd80Columns) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    expect_sound(make_layout_strip(plan.layout), name);
    expect_sound(make_mask_map(plan), name);
    expect_sound(make_schedule_table(plan), name);
    for (const int step : {0, plan.schedule.steps() / 2, plan.schedule.steps() - 1}) {
      expect_sound(make_ring_step(plan, step), name);
    }
  });
}

TEST(LayoutStrip, HoldsEveryPositionOnceAndEveryRow) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    for (const LayoutStrip::OneSide& side : make_layout_strip(plan.layout).sides) {
      std::int64_t next = 0;
      for (const Stretch& s : side.stretches) {
        EXPECT_EQ(s.begin, next) << name;
        next = s.end;
      }
      EXPECT_EQ(next, side.side == Side::q ? plan.problem.len_q : plan.problem.len_kv) << name;
      for (int rank = 0; rank < plan.layout.ranks; ++rank) {
        std::int64_t rows = 0, owned = 0;
        for (const Stretch& s : side.rows[static_cast<std::size_t>(rank)]) rows += s.size();
        for (int b = 0; b < plan.layout.blocks(); ++b) {
          owned += plan.layout.owner(b) == rank ? plan.layout.rows(side.side, b) : 0;
        }
        EXPECT_EQ(rows, owned) << name;
      }
    }
  });
}

TEST(LayoutStrip, ShowsBothSidesWhereTheyDiffer) {
  Problem problem;
  problem.len_kv = 2 * problem.len_q;
  EXPECT_EQ(make_layout_strip(make_layout({}, problem, 3, 1)).sides.size(), 2U);
}

TEST(MaskMap, CountsAddUpToTheProblemsPairs) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    EXPECT_EQ(make_mask_map(plan).pairs(), total_pairs(plan.problem)) << name;
    std::int64_t by_item = 0;
    for (int b = 0; b < plan.problem.batch; ++b) by_item += make_mask_map(plan, {.batch = b}).pairs();
    EXPECT_EQ(by_item, total_pairs(plan.problem)) << name;
  });
}

TEST(MaskMap, EveryTileWithPairsHasItsRankAndStep) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    const MaskMap map = make_mask_map(plan, {.head = 5});
    if (plan.layout.blocks() > 64) return;  // several blocks to a tile
    for (const MaskTile& tile : map.tiles) EXPECT_TRUE(tile.pairs == 0 || (tile.rank >= 0 && tile.step >= 0)) << name;
  });
}

TEST(MaskMap, EveryRankOfARingAppears) {
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    Problem problem;
    problem.len_q = problem.len_kv = 128;
    problem.mask.causal = true;
    const MaskMap map = make_mask_map(make_plan(problem, {.layout = {.name = "zigzag"}, .ranks = {1, ranks}}));
    std::set<int> seen;
    for (const MaskTile& tile : map.tiles) seen.insert(tile.rank);
    for (int rank = 0; rank < ranks; ++rank) EXPECT_TRUE(seen.contains(rank)) << rank << " of " << ranks;
  }
}

TEST(MaskMap, AMissingAttendLeavesItsTileWithoutARank) {
  Problem problem;
  Plan plan = make_plan(problem, {.ranks = {1, 4}});
  plan.schedule.attends[0] = plan.schedule.attends[1];
  const MaskMap map = make_mask_map(plan);
  EXPECT_TRUE(std::any_of(map.tiles.begin(), map.tiles.end(), [](const MaskTile& t) { return t.rank < 0; }));
}

TEST(ScheduleTable, EachPassComputesEveryPairOfEveryHead) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    const ScheduleTable table = make_schedule_table(plan);
    std::int64_t forward = 0, backward = 0;
    for (int rank = 0; rank < table.ranks; ++rank) {
      forward += table.pairs(rank, Pass::forward);
      backward += table.pairs(rank, Pass::backward);
    }
    const std::int64_t all = plan.problem.heads_q * total_pairs(plan.problem);
    EXPECT_EQ(forward, all) << name;
    EXPECT_EQ(backward, plan.problem.has_backward() ? all : 0) << name;
  });
}

TEST(ScheduleTable, ShowsABlockTravelUpTheRing) {
  Problem problem;
  const ScheduleTable table = make_schedule_table(make_plan(problem, {.ranks = {1, 5}}));
  for (int t = 0; t < 5; ++t) {
    for (int rank = 0; rank < 5; ++rank) {
      const Work& work = table.work[static_cast<std::size_t>(t)][static_cast<std::size_t>(rank)];
      EXPECT_EQ(work.tint, (rank - t + 5) % 5);
      EXPECT_EQ(work.name, "KV" + std::to_string(work.tint));
    }
  }
}

TEST(RingStep, CarriesExactlyTheBytesOfItsMoves) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    for (int t = 0; t < plan.schedule.steps(); t += 1 + plan.schedule.steps() / 8) {
      std::int64_t drawn = 0, moved = 0;
      std::size_t names = 0, moves = 0;
      for (const Traffic& traffic : make_ring_step(plan, t).traffic) {
        drawn += traffic.bytes;
        names += traffic.names.size();
      }
      for (const Move& m : plan.schedule.moves_of(t)) {
        moved += m.to == nobody ? 0 : plan.bytes(m.slice());
        moves += m.to == nobody ? 0 : 1;
      }
      EXPECT_EQ(drawn, moved) << name;
      EXPECT_EQ(names, moves) << name;
    }
  });
}

TEST(RingStep, TextNamesEveryRankAndEveryMoveOfARing) {
  for (const int ranks : {2, 3, 5, 8}) {
    Problem problem;
    const std::string text = to_text(write(make_ring_step(make_plan(problem, {.ranks = {1, ranks}}), 0)), Colour::none);
    for (int r = 0; r < ranks; ++r) {
      EXPECT_NE(text.find("KV" + std::to_string(r) + " → r" + std::to_string((r + 1) % ranks)), std::string::npos)
          << text;
    }
  }
}

TEST(RingStep, RefusesAStepThatIsNotThere) {
  const Plan plan = make_plan({}, {});
  EXPECT_THROW(make_ring_step(plan, -1), Error);
  EXPECT_THROW(make_ring_step(plan, plan.schedule.steps()), Error);
}

TEST(CountsTable, StaysInsideItsFrameAnd80Columns) {
  for_each_plan([](const Plan& plan, const std::string& name) { expect_sound(prove(plan).facts, name); });
}

TEST(CountsTable, ShowsTheClosedFormsOfARing) {
  Problem problem;
  const std::string text = to_text(write(prove(make_plan(problem, {.ranks = {1, 5}})).facts), Colour::none);
  EXPECT_TRUE(std::regex_search(text, std::regex("\nKV +20 +20\n"))) << text;  // N (N - 1)
  EXPECT_TRUE(std::regex_search(text, std::regex("\ndKV +0 +20\n"))) << text;
}

TEST(PairView, StaysInsideItsFrameAnd80Columns) {
  for_each_plan([](const Plan& plan, const std::string& name) {
    const std::int64_t last = plan.problem.len_q - 1;
    for (const PairRequest& request : {PairRequest{last, 0, 5, 1}, PairRequest{0, last, 0, 0}}) {
      expect_sound(make_pair_view(plan, request, PairWeight{.allowed = true, .score = -1e6, .keys = 1'000'000}), name);
    }
  });
}

TEST(PairView, NamesTheWayOfTheBlock) {
  Problem problem;
  problem.len_q = problem.len_kv = 50;
  const Plan plan = make_plan(problem, {.ranks = {1, 5}});
  const std::string text = to_text(write(make_pair_view(plan, {.query = 35, .key = 11})), Colour::none);
  EXPECT_NE(text.find("forward: on rank 3 in step 2"), std::string::npos) << text;
  EXPECT_NE(text.find("KV1: at home on r1, after step 0 on r2, after step 1 on r3"), std::string::npos) << text;
}

TEST(PairView, SaysWhenTheMaskHidesAPairAndWhenNobodyAttendsIt) {
  Problem problem;
  problem.mask.causal = true;
  Plan plan = make_plan(problem, {.ranks = {1, 2}});
  EXPECT_NE(to_text(write(make_pair_view(plan, {.query = 3, .key = 4})), Colour::none).find("hides"),
            std::string::npos);
  std::erase_if(plan.schedule.attends, [](const Attend& a) { return a.rank == 0; });
  for (StepBegin& step : plan.schedule.step_begin) step.attend = 0;
  EXPECT_NE(to_text(write(make_pair_view(plan, {.query = 4, .key = 3})), Colour::none).find("Nobody"),
            std::string::npos);
}

}  // namespace
}  // namespace ringscope
