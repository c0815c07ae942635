#include "core/state.h"

#include <gtest/gtest.h>

#include <vector>

namespace ringscope {
namespace {

struct OwnRow {
  double m = 7, l = 7;
  std::vector<double> o = {7, 7};
  StateRow<double> view() { return {m, l, o.data(), 2}; }
  bool operator==(const OwnRow&) const = default;
};

OwnRow empty_row() {
  OwnRow row;
  row.view().clear();
  return row;
}

const std::vector<double> scores = {0.5, -1, 3, 3, -40, 2.5};
const std::vector<double> values = {1, 2, -3, 4, 5, -6, 7, 8, 9, 10, -11, 12};

OwnRow row_of(std::size_t begin, std::size_t end) {
  OwnRow row = empty_row();
  for (std::size_t j = begin; j < end; ++j) row.view().absorb(scores[j], &values[2 * j]);
  return row;
}

TEST(State, IsTheSoftmaxOfWhatItAbsorbed) {
  OwnRow row = row_of(0, scores.size());
  EXPECT_EQ(row.m, 3);
  long double l = 0, o[2] = {0, 0};
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const long double p = std::exp(static_cast<long double>(scores[j]));
    l += p;
    for (std::size_t d = 0; d < 2; ++d) o[d] += p * values[2 * j + d];
  }
  EXPECT_NEAR(row.view().finish(), static_cast<double>(std::log(l)), 1e-15);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(row.o[d], static_cast<double>(o[d] / l), 1e-14);
}

TEST(State, MergeOfPartsIsTheWhole) {
  const OwnRow whole = row_of(0, scores.size());
  for (std::size_t cut = 0; cut <= scores.size(); ++cut) {
    OwnRow row = row_of(0, cut);
    const OwnRow rest = row_of(cut, scores.size());
    row.view().merge(rest.m, rest.l, rest.o.data());
    EXPECT_EQ(row.m, whole.m);
    EXPECT_NEAR(row.l, whole.l, 1e-14);
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(row.o[d], whole.o[d], 1e-13);
  }
}

TEST(State, ScoresThatAreAllNaNAreNotNothing) {
  const double nan = std::nan(""), v[2] = {1, 2};
  OwnRow lost = empty_row();
  lost.view().absorb(nan, v);
  EXPECT_FALSE(lost.view().is_empty());
  for (const OwnRow& part : {empty_row(), row_of(0, 4), lost}) {
    for (const bool first : {true, false}) {
      OwnRow row = first ? lost : part;
      const OwnRow& other = first ? part : lost;
      row.view().merge(other.m, other.l, other.o.data());
      EXPECT_TRUE(std::isnan(row.view().finish()));
      EXPECT_TRUE(std::isnan(row.o[0]) && std::isnan(row.o[1]));
    }
  }
}

TEST(State, EmptyIsTheIdentityOfMergeToTheBit) {
  const OwnRow some = row_of(0, 4), empty = empty_row();
  OwnRow row = some;
  row.view().merge(empty.m, empty.l, empty.o.data());
  EXPECT_EQ(row, some);
  row = empty;
  row.view().merge(some.m, some.l, some.o.data());
  EXPECT_EQ(row, some);
}

TEST(State, DroppedKeysCountInTheSumAlone) {
  OwnRow row = row_of(0, 2), kept = row_of(0, 2);
  row.view().absorb(0.25, &values[4], 0);
  EXPECT_EQ(row.o, kept.o);
  EXPECT_GT(row.l, kept.l);
}

TEST(State, EqualScoresAreExact) {
  OwnRow row = empty_row();
  for (std::size_t j = 0; j < 3; ++j) row.view().absorb(-1.5, &values[2 * j]);
  EXPECT_EQ(row.l, 3);
  EXPECT_EQ(row.o, (std::vector<double>{1 - 3 + 5, 2 + 4 - 6}));
}

TEST(State, EmptyFinishesAsZeroAndMinusInfinity) {
  OwnRow row = empty_row();
  EXPECT_EQ(row.view().finish(), no_score<double>);
  EXPECT_EQ(row.o, (std::vector<double>{0, 0}));
  row.view().absorb_sink(2);
  EXPECT_EQ(row.view().finish(), 2);
  EXPECT_EQ(row.o, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace ringscope
