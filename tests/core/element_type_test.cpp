#include "core/element_type.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace ringscope {
namespace {

constexpr ElementType narrow_types[] = {ElementType::bf16, ElementType::f16, ElementType::e4m3};
constexpr double inf = std::numeric_limits<double>::infinity();

std::uint64_t patterns(ElementType type) {
  return std::uint64_t{1} << (8 * bytes_of(type));
}

// All finite values >= 0 of a narrow type, rising.
std::vector<double> finite_values(ElementType type) {
  std::vector<double> values;
  for (std::uint64_t bits = 0; bits < patterns(type) / 2; ++bits) {
    if (const double v = decode(type, bits); std::isfinite(v)) values.push_back(v);
  }
  return values;
}

TEST(ElementType, EveryPatternSurvivesDecodeAndEncode) {
  for (const ElementType type : narrow_types) {
    for (std::uint64_t bits = 0; bits < patterns(type); ++bits) {
      const double value = decode(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decode(type, encode(type, value))));
        continue;
      }
      ASSERT_EQ(encode(type, value), bits) << name_of(type);
      ASSERT_EQ(round_to(type, value), value) << name_of(type);
    }
  }
}

TEST(ElementType, PatternsRiseWithTheirValues) {
  for (const ElementType type : narrow_types) {
    const auto values = finite_values(type);
    for (std::size_t i = 1; i < values.size(); ++i) ASSERT_LT(values[i - 1], values[i]) << name_of(type);
  }
}

TEST(ElementType, RoundsToNearestAndTiesToEven) {
  for (const ElementType type : narrow_types) {
    const auto values = finite_values(type);
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double low = values[i - 1], high = values[i], middle = (low + high) / 2;
      const double even = (i - 1) % 2 == 0 ? low : high;
      ASSERT_EQ(round_to(type, middle), even) << name_of(type) << " between " << low << " and " << high;
      ASSERT_EQ(round_to(type, -middle), -even);
      ASSERT_EQ(round_to(type, std::nextafter(middle, 0.0)), low);
      ASSERT_EQ(round_to(type, std::nextafter(middle, inf)), high);
    }
  }
}

TEST(ElementType, RoundsOnceFromTheDouble) {
  // Through float these would become ties and go the other way.
  const double just_above = 1 + 0x1p-8 + 0x1p-40, just_below = 1 + 3 * 0x1p-8 - 0x1p-40;
  EXPECT_EQ(round_to(ElementType::bf16, just_above), 1 + 0x1p-7);
  EXPECT_EQ(round_to(ElementType::bf16, just_below), 1 + 0x1p-7);
  EXPECT_EQ(round_to(ElementType::f16, 1 + 0x1p-11 + 0x1p-45), 1 + 0x1p-10);
  EXPECT_EQ(round_to(ElementType::e4m3, 1 + 0x1p-4 + 0x1p-50), 1 + 0x1p-3);
}

TEST(ElementType, OverflowGoesToInfinityAndE4m3Saturates) {
  EXPECT_EQ(round_to(ElementType::f16, 65519.999), 65504);
  EXPECT_EQ(round_to(ElementType::f16, 65520), inf);
  EXPECT_EQ(round_to(ElementType::bf16, -1e39), -inf);
  EXPECT_EQ(round_to(ElementType::f32, 1e39), inf);
  EXPECT_EQ(round_to(ElementType::e4m3, 449), 448);
  EXPECT_EQ(round_to(ElementType::e4m3, 1e9), 448);
  EXPECT_EQ(round_to(ElementType::e4m3, -inf), -448);
  for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16}) {
    EXPECT_EQ(decode(type, encode(type, -inf)), -inf) << name_of(type);
  }
}

TEST(ElementType, KnownPatterns) {
  EXPECT_EQ(encode(ElementType::f32, 1.0), 0x3F800000u);
  EXPECT_EQ(encode(ElementType::bf16, -2.0), 0xC000u);
  EXPECT_EQ(encode(ElementType::f16, 0x1p-24), 0x0001u);
  EXPECT_EQ(encode(ElementType::f16, inf), 0x7C00u);
  EXPECT_EQ(encode(ElementType::e4m3, 448), 0x7Eu);
  EXPECT_EQ(encode(ElementType::e4m3, 0x1p-9), 0x01u);
  EXPECT_EQ(encode(ElementType::e4m3, -0x1p-6), 0x88u);
  EXPECT_TRUE(std::isnan(decode(ElementType::e4m3, 0xFF)));
  EXPECT_TRUE(std::signbit(decode(ElementType::bf16, encode(ElementType::bf16, -0.0))));
}

TEST(ElementType, WideTypesKeepEveryBit) {
  for (const double v : {0.1, -1e-310, 5e-324, 1e308, -0.0}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(decode(ElementType::f64, encode(ElementType::f64, v))),
              std::bit_cast<std::uint64_t>(v));
  }
  EXPECT_EQ(round_to(ElementType::f32, 0x1p-149), 0x1p-149);
  EXPECT_EQ(round_to(ElementType::f32, 0x1p-150), 0);
  EXPECT_EQ(round_to(ElementType::bf16, 5e-324), 0);
}

TEST(ElementType, UlpIsTheStepToTheNextValue) {
  for (const ElementType type : narrow_types) {
    const auto values = finite_values(type);
    for (std::size_t i = 1; i < values.size(); ++i) ASSERT_EQ(ulp(type, values[i - 1]), values[i] - values[i - 1]);
  }
  EXPECT_EQ(ulp(ElementType::f64, 1.0), 0x1p-52);
  EXPECT_EQ(ulp(ElementType::f64, 0.0), 5e-324);
  EXPECT_EQ(ulp(ElementType::f32, -3.0), 0x1p-22);
}

TEST(ElementType, UnitRoundoffIsHalfAnUlpOfOne) {
  for (std::size_t t = 0; t < 5; ++t) {
    const auto type = static_cast<ElementType>(t);
    EXPECT_EQ(2 * unit_roundoff(type), ulp(type, 1.0));
    EXPECT_EQ(element_type_named(name_of(type)), type);
  }
  EXPECT_FALSE(element_type_named("fp8"));
}

}  // namespace
}  // namespace ringscope
