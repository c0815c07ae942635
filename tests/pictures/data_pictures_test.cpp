#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/recipe.h"
#include "pictures/balance_bars.h"
#include "pictures/error_map.h"
#include "pictures/grid.h"
#include "pictures/rank_map.h"
#include "pictures/terminal.h"
#include "pictures/timeline.h"
#include "tests/pictures/picture_checks.h"

namespace ringscope {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

BalanceBars staircase(int ranks) {
  BalanceBars bars{"a case line that is rather long " + std::string(80, 'x'), {}, 0.5, 0.5};
  for (int r = 0; r < ranks; ++r) {
    bars.pairs.emplace_back();
    for (int t = 0; t < ranks; ++t) bars.pairs.back().push_back(t <= r ? 1'000'000'007 : 0);
  }
  return bars;
}

TEST(BalanceBars, StayInsideTheirFrameAnd80Columns) {
  for (const int ranks : {1, 2, 3, 5, 8, 64, 100}) {
    const std::vector<BalanceBars> both{staircase(ranks), staircase(ranks)};
    EXPECT_EQ(picture_fault(draw(both)).value_or(""), "") << ranks;
    EXPECT_EQ(sheet_fault(write(both)).value_or(""), "") << ranks;
  }
}

TEST(BalanceBars, AreAsLongAsTheWorkAndNoWorkIsNoBar) {
  const std::vector<BalanceBars> bars{{"case", {{0}, {1}, {27}, {54}}, 1, 1}};
  EXPECT_EQ(count_of(to_text(write(bars), Colour::none), "■"), 0U + 1 + 27 + 54);
  EXPECT_EQ(picture_fault(draw(std::vector<BalanceBars>{{"idle", {{0}, {0}}, 1, 1}})).value_or(""), "");
}

TEST(BalanceBars, AThousandRanksMakeNoMoreBoxesThanCanBeSeen) {
  EXPECT_LE(draw(std::vector<BalanceBars>{staircase(1024)}).boxes.size(), 64U * 100 * 2 + 2);
}

Trace trace_of(int ranks) {
  Trace trace{.ranks = ranks};
  for (int r = 0; r < ranks; ++r) {
    for (int t = 0; t < 3; ++t) {
      trace.events.push_back(
          {r, Lane::compute, EventKind::attend, t, t * 1e-3, t * 1e-3 + 6e-4, {TensorKind::kv, {r}}});
      trace.events.push_back(
          {r, Lane::wait, EventKind::wait, t, t * 1e-3 + 6e-4, t * 1e-3 + 1e-3, {TensorKind::kv, {r}}});
    }
  }
  return trace;
}

TEST(Timeline, StaysInsideItsFrameAnd80ColumnsAndShowsEveryRank) {
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    const Layout layout = make_layout({}, {}, ranks, 1);
    const Timeline timeline = make_timeline(trace_of(ranks), layout);
    EXPECT_EQ(picture_fault(draw(timeline)).value_or(""), "") << ranks;
    EXPECT_EQ(sheet_fault(write(timeline)).value_or(""), "") << ranks;
    const std::string text = to_text(write(timeline), Colour::none);
    for (int r = 0; r < std::min(ranks, 8); ++r) EXPECT_NE(text.find("r" + std::to_string(r) + " "), std::string::npos);
  }
  EXPECT_EQ(picture_fault(draw(make_timeline({.ranks = 2}, make_layout({}, {}, 2, 1)))).value_or(""), "");
}

TEST(Timeline, LanesShowTheirShareOfTheTime) {
  const std::string text = to_text(write(make_timeline(trace_of(1), make_layout({}, {}, 1, 1))), Colour::none);
  EXPECT_NEAR(static_cast<double>(count_of(text, "█")) - 1, 0.6 * 64, 3);  // once in the legend
}

ErrorMap errors_of(std::int64_t heads, std::int64_t rows, double ratio) {
  return {"o", heads, rows, std::vector<double>(static_cast<std::size_t>(heads * rows), ratio)};
}

TEST(ErrorMap, StaysInsideItsFrameAnd80Columns) {
  for (const std::int64_t rows : {1, 2, 7, 64, 75, 1000, 5000}) {
    const std::vector<ErrorMap> maps{errors_of(6, rows, 0.1), errors_of(2, rows, 7)};
    EXPECT_EQ(picture_fault(draw(maps)).value_or(""), "") << rows;
    EXPECT_EQ(sheet_fault(write(maps)).value_or(""), "") << rows;
  }
}

TEST(ErrorMap, OneWrongRowAmongThousandsIsSeen) {
  for (const double wrong : {1.01, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ErrorMap map = errors_of(3, 4096, 0.001);
    EXPECT_EQ(count_of(to_text(write({map}), Colour::none), "!"), 1U);  // the legend's
    map.ratios[4096 + 1234] = wrong;
    const std::string text = to_text(write({map}), Colour::none);
    EXPECT_EQ(count_of(text, "!"), 2U);
    EXPECT_NE(text.find("head 1, row 1234"), std::string::npos);
    const Picture picture = draw({map});
    EXPECT_EQ(
        std::count_if(picture.boxes.begin(), picture.boxes.end() - 3, [](const Box& b) { return b.ink == Ink::bad; }),
        1);
  }
}

TEST(ErrorMap, PoolingKeepsTheLargestOfEachRun) {
  ErrorMap map{"dq", 2, 7, {}};
  for (int i = 0; i < 14; ++i) map.ratios.push_back(i);
  EXPECT_EQ(pooled(map, 3).ratios, (std::vector<double>{2, 5, 6, 9, 12, 13}));
  EXPECT_EQ(pooled(map, 7).ratios, map.ratios);
}

RankMap rank_map_of(int ranks, std::int64_t columns) {
  RankMap map{"dq", "step", {}, columns, {}};
  for (int r = 0; r < ranks; ++r) map.ranks.push_back("rank " + std::to_string(r));
  map.cells.resize(static_cast<std::size_t>(ranks * columns), {0.01, "1.00", {}});
  map.remarks.assign(static_cast<std::size_t>(ranks), "100 % of its error");
  return map;
}

TEST(RankMap, StaysInsideItsFrameAnd80Columns) {
  for (const std::int64_t columns : {1, 2, 9, 70, 71, 120, 121, 2000}) {
    for (const int ranks : {1, 5, 64, 300}) {
      const std::vector<RankMap> maps{rank_map_of(ranks, columns), rank_map_of(2, 3)};
      EXPECT_EQ(picture_fault(draw(maps, "title", "summary")).value_or(""), "") << columns << " " << ranks;
      EXPECT_EQ(sheet_fault(write(maps)).value_or(""), "") << columns << " " << ranks;
    }
  }
}

TEST(RankMap, TheFirstWrongCellIsNamedAndDrawn) {
  for (const double wrong : {1.01, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RankMap map = rank_map_of(4, 300);
    map.cells[2 * 300 + 7].ratio = wrong, map.cells[0 * 300 + 9].ratio = 5;
    EXPECT_NE(sentence_of(map).find("first wrong at rank 2, step 7"), std::string::npos) << sentence_of(map);
    const Picture picture = draw({map}, "title", "summary");
    EXPECT_GE(
        std::count_if(picture.boxes.begin(), picture.boxes.end() - 4, [](const Box& b) { return b.ink == Ink::bad; }),
        2);
    EXPECT_NE(to_text(write({map}), Colour::none).find("!"), std::string::npos);
  }
}

TEST(RankMap, WhatIsNotThereIsNotWrong) {
  RankMap map = rank_map_of(2, 3);
  map.cells.assign(6, {});
  EXPECT_EQ(sentence_of(map), "dq: nothing to compare");
  map.cells[0].ratio = 0.5;
  EXPECT_EQ(sentence_of(map), "dq: nothing beyond what is allowed");
}

TEST(Grid, LeavesOutTheMiddleToFit) {
  for (const int columns : {1, 5, 40, 1000}) {
    Grid grid{"pairs", {"rank"}, {}};
    for (int c = 0; c < columns; ++c) grid.header.push_back(std::to_string(c));
    for (int r = 0; r < 100; ++r) {
      grid.rows.push_back({"r" + std::to_string(r)});
      for (int c = 0; c < columns; ++c) grid.rows.back().push_back("1,234,567");
    }
    EXPECT_EQ(sheet_fault(write(grid)).value_or(""), "") << columns;
    EXPECT_EQ(picture_fault(draw({grid}, "title", "summary")).value_or(""), "") << columns;
    const std::string text = to_text(write(grid), Colour::none);
    EXPECT_NE(text.find("r99"), std::string::npos);
    EXPECT_NE(text.find(" " + std::to_string(columns - 1) + "\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace ringscope
