#include "core/covering.h"

#include <gtest/gtest.h>

#include <set>

namespace ringscope {
namespace {

// Level 2 of factor 0 excludes level 1 of factor 3.
bool allowed(const Row& row) {
  return !(row[0] == 2 && row[3] == 1);
}

CoveringRequest request_of(std::set<Row>& rows) {
  CoveringRequest request;
  request.levels = {3, 4, 2, 2, 5};
  request.can_be = allowed;
  request.is_new = [&rows](const Row& row) { return rows.insert(row).second; };
  request.yielding = {4, 3, 2, 1, 0};
  return request;
}

TEST(Covering, EveryPossiblePairOccursAndTheImpossibleOneIsNamed) {
  std::set<Row> seen;
  const CoveringRequest request = request_of(seen);
  const CoveringRows covering = cover(request);
  std::set<std::array<int, 4>> pairs;
  for (const Row& row : covering.rows) {
    EXPECT_TRUE(allowed(row));
    for (int f = 0; f < 5; ++f) {
      for (int g = 0; g < f; ++g)
        pairs.insert({f, row[static_cast<std::size_t>(f)], g, row[static_cast<std::size_t>(g)]});
    }
  }
  EXPECT_EQ(pairs.size(), 12u + 6 + 6 + 15 + 8 + 8 + 20 + 4 + 10 + 10 - 1);
  ASSERT_EQ(covering.impossible_pairs.size(), 1u);
  EXPECT_EQ(covering.impossible_pairs[0], (std::array<LevelOf, 2>{LevelOf{3, 1}, LevelOf{0, 2}}));
}

TEST(Covering, NamedTriplesOccur) {
  std::set<Row> seen;
  CoveringRequest request = request_of(seen);
  request.triples = {{0, 1, 4}};
  std::set<std::array<int, 3>> triples;
  for (const Row& row : cover(request).rows) triples.insert({row[0], row[1], row[4]});
  EXPECT_EQ(triples.size(), 3u * 4 * 5);
}

TEST(Covering, NeedsFewRows) {
  std::set<Row> seen;
  EXPECT_LE(cover(request_of(seen)).rows.size(), 30u);  // all rows: 240; the largest pair alone: 20
}

TEST(Covering, FillsUpWithNewRowsAndStopsWhenThereAreNone) {
  std::set<Row> seen;
  CoveringRequest request = request_of(seen);
  request.enough_rows = 100;
  EXPECT_EQ(cover(request).rows.size(), 100u);
  seen.clear();
  request.enough_rows = 100000;
  EXPECT_LE(cover(request).rows.size(), 240u);
}

}  // namespace
}  // namespace ringscope
