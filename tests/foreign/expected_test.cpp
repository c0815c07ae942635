// Every dump of tests/data/dumps is judged as expected.json says.
#include <gtest/gtest.h>

#include <cmath>

#include "core/foreign/first_wrong.h"
#include "core/foreign/units.h"
#include "formats/dump_foreign.h"
#include "tests/foreign/dumps.h"

namespace ringscope {
namespace {

class ExpectedDumps : public testing::TestWithParam<ExpectedDump> {
 protected:
  ExpectedDumps() : dump_(read_dump(GetParam().paths, GetParam().words)), foreign_(foreign_of(dump_)) {
    judged_ = judge_foreign(foreign_, {.threads = all_threads()});
  }
  const nlohmann::json& expected() const { return GetParam().expected; }

  Dump dump_;
  Foreign foreign_;
  Judged judged_;
};

TEST_P(ExpectedDumps, TheWrongOutputsAreNamedAndNoOther) {
  EXPECT_EQ(judged_.verdict() == Verdict::passed, expected().at("verdict") == "pass");
  std::vector<std::string> wrong;
  for (int n = 0; n < output_kinds; ++n) {
    const Figures& f = judged_.outputs[static_cast<std::size_t>(n)].figures;
    if (f.present && f.verdict == Verdict::failed) wrong.emplace_back(name_of(static_cast<Output>(n)));
  }
  EXPECT_EQ(wrong, expected().at("wrong_outputs").get<std::vector<std::string>>());
}

// Two yardsticks sum in different orders: norms of hundreds of elements differ by a quarter at most, the largest error
// by a factor of 2.
TEST_P(ExpectedDumps, TheFiguresAreThoseThatTheMakersMeasured) {
  for (const auto& [name, measured] : expected().at("measured").items()) {
    for (int n = 0; n < output_kinds; ++n) {
      if (name_of(static_cast<Output>(n)) != name) continue;
      const Figures& f = judged_.outputs[static_cast<std::size_t>(n)].figures;
      ASSERT_TRUE(f.present) << name;
      const double ratio = measured.at("ratio"), peak = measured.at("peak_ratio");
      EXPECT_NEAR(f.max_abs, measured.at("max_abs").get<double>(), 1e-3 * f.max_abs) << name;
      EXPECT_NEAR(f.ratio, ratio, 0.25 * ratio) << name;
      EXPECT_LE(f.peak_ratio, 2 * peak) << name;
      EXPECT_GE(f.peak_ratio, peak / 2) << name;
      EXPECT_EQ(f.nonfinite, measured.at("nonfinite").get<std::int64_t>()) << name;
    }
  }
}

TEST_P(ExpectedDumps, EveryWrongOutputHasItsFirstWrongRow) {
  if (!expected().contains("places")) return;
  for (const auto& [name, place] : expected().at("places").items()) {
    for (int n = 0; n < output_kinds; ++n) {
      if (name_of(static_cast<Output>(n)) != name) continue;
      const auto& wrong = judged_.outputs[static_cast<std::size_t>(n)].wrong;
      ASSERT_TRUE(wrong) << name;
      EXPECT_EQ(wrong->batch, place.at("batch")) << name;
      EXPECT_EQ(wrong->head, place.at("head")) << name;
      EXPECT_EQ(wrong->row, place.at("row")) << name;
      EXPECT_EQ(wrong->sharp, place.at("sharp")) << name;
      EXPECT_EQ(wrong->of, place.at("of_rows")) << name;
      EXPECT_NEAR(static_cast<double>(wrong->count), place.at("wrong_rows").get<double>(), 2) << name;
    }
  }
}

TEST_P(ExpectedDumps, TheFirstWrongPlaceHasItsRankAndKvBlock) {
  const auto first = find_first_wrong(foreign_, judged_, dump_.layout);
  const nlohmann::json& want = expected().at("first_wrong");
  if (want.is_null()) {
    EXPECT_TRUE(!first || !first->rows.sharp);
    return;
  }
  ASSERT_TRUE(first);
  EXPECT_EQ(name_of(first->output), want.at("output").get<std::string>());
  EXPECT_EQ(first->rank, want.value("rank", -1));
  EXPECT_EQ(first->local_row, want.value("local_row", -1));
  EXPECT_EQ(first->kv_block, want.value("kv_block", -1));
}

INSTANTIATE_TEST_SUITE_P(All, ExpectedDumps, testing::ValuesIn(expected_dumps()), [](const auto& tested) {
  std::string name = tested.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace ringscope
