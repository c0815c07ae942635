#include "core/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace ringscope {
namespace {

TEST(Numbers, TheWholeTextIsTheNumberOrThereIsNone) {
  EXPECT_EQ(whole_number("12"), 12);
  EXPECT_EQ(whole_number("-3"), -3);
  for (const char* text : {"", "+1", " 1", "1 ", "1x", "0x10", "1.0", "1e3", "--1"}) {
    EXPECT_FALSE(whole_number(text)) << text;
  }
}

TEST(Numbers, OverflowIsNoNumber) {
  EXPECT_EQ(whole_number("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(whole_number("9223372036854775808"));
  EXPECT_EQ(seed_number("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(seed_number("18446744073709551616"));
  EXPECT_FALSE(seed_number("-1"));
  EXPECT_FALSE(real_number("1e999"));
}

TEST(Numbers, OnlyFiniteRealsAreRead) {
  EXPECT_EQ(real_number("0.125"), 0.125);
  for (const char* text : {"inf", "nan", "-inf", "1,5", ""}) EXPECT_FALSE(real_number(text)) << text;
}

TEST(Numbers, TextOfARealReadsBackAsTheSameReal) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 12345678.9, -0.25}) EXPECT_EQ(real_number(text_of(value)), value);
}

TEST(Numbers, ListsHaveNoEmptyItems) {
  EXPECT_EQ(whole_numbers("0,50,128"), (std::vector<std::int64_t>{0, 50, 128}));
  for (const char* text : {"", ",", "1,", ",1", "1,,2"}) EXPECT_FALSE(whole_numbers(text)) << text;
}

}  // namespace
}  // namespace ringscope
