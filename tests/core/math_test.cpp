// Judged by x86 long double, whose own error is below a thousandth of an ulp of double.
#include "core/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace ringscope {
namespace {

template <class Real>
constexpr Real infinite = std::numeric_limits<Real>::infinity();

// The error in units of the last place of the right value.
template <class Real>
double ulps(Real got, long double want) {
  const Real rounded = static_cast<Real>(want);
  if (std::isinf(rounded)) return got == rounded ? 0 : infinite<double>;
  const Real size = std::fabs(rounded);
  const long double ulp = std::nextafter(size, infinite<Real>) - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / ulp);
}

template <class Real, class F, class G>
double worst_ulps(double low, double high, const F& got, const G& want) {
  std::mt19937_64 random(3);
  double worst = 0;
  for (int n = 0; n < 40000; ++n) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const Real x = static_cast<Real>(low + (high - low) * u);
    worst = std::max(worst, ulps<Real>(got(x), want(static_cast<long double>(x))));
  }
  return worst;
}

template <class Real>
class Math : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Math, Reals);

TYPED_TEST(Math, ExpIsRightToAboutOneUlp) {
  using Real = TypeParam;
  const auto got = [](Real x) { return math::exp(x); };
  const auto want = [](long double x) { return std::exp(x); };
  const double largest = std::log(static_cast<double>(std::numeric_limits<Real>::max()));
  for (const double high : {1.0, 30.0, 0.999 * largest}) EXPECT_LT((worst_ulps<Real>(-high, high, got, want)), 1.1);
  EXPECT_LT((worst_ulps<Real>(-1.2 * largest, -0.98 * largest, got, want)), 1.1);  // into the subnormals and below
}

TYPED_TEST(Math, Exp2IsRightToAboutOneUlpAndExactForIntegers) {
  using Real = TypeParam;
  EXPECT_LT((worst_ulps<Real>(
                -100, 100, [](Real x) { return math::exp2(x); }, [](long double x) { return std::exp2(x); })),
            1.1);
  for (int n = -140; n <= 120; ++n) EXPECT_EQ(math::exp2(static_cast<Real>(n)), std::ldexp(Real(1), n));
}

TYPED_TEST(Math, LogIsRightToOneUlp) {
  using Real = TypeParam;
  const auto got = [](Real x) { return math::log(x); };
  const auto want = [](long double x) { return std::log(x); };
  for (const double high : {1e-30, 1.1, 2.0, 1e6, 1e30}) EXPECT_LT((worst_ulps<Real>(high * 1e-3, high, got, want)), 1);
  EXPECT_LT((worst_ulps<Real>(0.99, 1.01, got, want)), 1);
  EXPECT_LT(ulps(math::log(std::numeric_limits<Real>::denorm_min()),
                 std::log(static_cast<long double>(std::numeric_limits<Real>::denorm_min()))),
            1);
}

TYPED_TEST(Math, TanhIsRightToThreeUlpsNearZeroToo) {
  using Real = TypeParam;
  const auto got = [](Real x) { return math::tanh(x); };
  const auto want = [](long double x) { return std::tanh(x); };
  for (const double high : {1e-20, 1e-4, 0.3, 3.0, 40.0}) EXPECT_LT((worst_ulps<Real>(-high, high, got, want)), 3);
}

TYPED_TEST(Math, SinAndCosAreRightToTwoUlpsForEveryPosition) {
  using Real = TypeParam;
  const auto sin = [](Real x) { return math::sin(x); };
  const auto cos = [](Real x) { return math::cos(x); };
  const auto long_sin = [](long double x) { return std::sin(x); };
  const auto long_cos = [](long double x) { return std::cos(x); };
  for (const double high : {0.5, 10.0, 1e4, 0x1p24}) {
    EXPECT_LT((worst_ulps<Real>(-high, high, sin, long_sin)), 2);
    EXPECT_LT((worst_ulps<Real>(-high, high, cos, long_cos)), 2);
  }
  // Beside multiples of pi / 2, where the reduction cancels most.
  for (int n = 0; n < 100000; n += 7) {
    const double x = static_cast<double>(static_cast<long double>(n * 107) * 1.57079632679489661923L);
    EXPECT_LT(ulps(math::sin(x), std::sin(static_cast<long double>(x))), 2.5) << x;
  }
}

TYPED_TEST(Math, EdgesAreDefined) {
  using Real = TypeParam;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(math::exp(-infinite<Real>), 0);
  EXPECT_EQ(math::exp(infinite<Real>), infinite<Real>);
  EXPECT_EQ(math::exp(Real(0)), 1);
  EXPECT_EQ(math::exp(Real(-0.0)), 1);
  EXPECT_EQ(math::exp(std::numeric_limits<Real>::lowest()), 0);
  EXPECT_EQ(math::exp(std::numeric_limits<Real>::max()), infinite<Real>);
  EXPECT_EQ(math::log(Real(0)), -infinite<Real>);
  EXPECT_EQ(math::log(Real(1)), 0);
  EXPECT_EQ(math::log(infinite<Real>), infinite<Real>);
  EXPECT_TRUE(std::isnan(math::log(Real(-1))));
  EXPECT_EQ(math::tanh(infinite<Real>), 1);
  EXPECT_EQ(math::tanh(-infinite<Real>), -1);
  EXPECT_TRUE(std::signbit(math::tanh(Real(-0.0))));
  EXPECT_EQ(math::sin(Real(0)), 0);
  EXPECT_EQ(math::cos(Real(0)), 1);
  for (const Real got : {math::exp(nan), math::exp2(nan), math::log(nan), math::tanh(nan), math::sin(nan),
                         math::cos(nan), math::sin(infinite<Real>)}) {
    EXPECT_TRUE(std::isnan(got));
  }
}

// A loop is compiled to vectors, a single call is not: both must give the same bits.
TYPED_TEST(Math, RowsHaveTheBitsOfSingleCalls) {
  using Real = TypeParam;
  std::vector<Real> x, row(1001);
  for (std::size_t n = 0; n < row.size(); ++n) x.push_back(static_cast<Real>(0.31 * static_cast<double>(n) - 200));
  for (std::size_t n = 0; n < row.size(); ++n) row[n] = math::exp(x[n]);
  for (std::size_t n = 0; n < row.size(); ++n) {
    volatile Real one = x[n];
    EXPECT_EQ(row[n], math::exp(static_cast<Real>(one)));
  }
}

}  // namespace
}  // namespace ringscope
