#include "core/ulps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ringscope {
namespace {

TEST(Ulps, NeighboursAreOneApartInEveryType) {
  for (const auto type : {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16, ElementType::e4m3}) {
    const double next = 1 + 2 * unit_roundoff(type);
    EXPECT_EQ(ulps_between(type, 1, next), 1) << name_of(type);
    EXPECT_EQ(ulps_between(type, -1, -next), 1) << name_of(type);
    EXPECT_EQ(ulps_between(type, 0.0, -0.0), 0) << name_of(type);
    EXPECT_EQ(ulps_between(type, 1, 1), 0) << name_of(type);
  }
}

TEST(Ulps, ZeroLiesBetweenTheSmallestNumbers) {
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(ulps_between(ElementType::f64, -least, least), 2);
}

Outputs outputs_of(double value) {
  Outputs out;
  out.o = Tensor({1, 2, 2, 3}, value);
  out.lse = Tensor({1, 2, 2, 1}, value);
  return out;
}

TEST(Ulps, TheFirstOtherBitIsFoundAndCounted) {
  const Outputs a = outputs_of(1);
  Outputs b = a;
  b.o.values[8] = std::nextafter(1.0F, 2.0F);
  const Agreement found = agreement(Problem{}, a, b);
  ASSERT_TRUE(found.first_unlike);
  EXPECT_EQ(found.first_unlike->head, 1);
  EXPECT_EQ(found.first_unlike->row, 0);
  EXPECT_EQ(found.outputs[0].count[0], 11);
  EXPECT_EQ(found.outputs[0].count[1], 1);
  EXPECT_EQ(found.outputs[0].most, 1);
  EXPECT_FALSE(found.outputs[2].present);
}

TEST(Ulps, AllNaNsAreTheSameBitsAndSignsOfZeroAreNot) {
  Outputs a = outputs_of(std::numeric_limits<double>::quiet_NaN()), b = a;
  b.o.values[0] = -a.o.values[0];
  EXPECT_TRUE(agreement(Problem{}, a, b).same_bits());
  a.o.values[1] = 0.0, b.o.values[1] = -0.0;
  EXPECT_FALSE(agreement(Problem{}, a, b).same_bits());
}

}  // namespace
}  // namespace ringscope
