// requant against the definitions of the two TFLite kernel families, written here in their own
// terms (truncating division, nudges), and against hand-computed values.
#include "isa/spec/requant.h"

#include <gtest/gtest.h>

#include <random>

namespace vta::isa {
namespace {

using Wide = __int128;

// round(a * b / 2^31), as the high half of the doubled product with a nudge and a division that
// truncates.
int32_t SaturatingDoublingHighMultiply(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  const Wide product = Wide{a} * b;
  const Wide nudge = product >= 0 ? (Wide{1} << 30) : 1 - (Wide{1} << 30);
  return static_cast<int32_t>((product + nudge) / (Wide{1} << 31));
}

// x / 2^n to nearest, ties away from zero.
int64_t DivideByPowerOfTwo(int64_t x, int n) {
  const Wide half = n == 0 ? 0 : Wide{1} << (n - 1);
  const Wide magnitude = ((x < 0 ? -Wide{x} : Wide{x}) + half) >> n;
  return static_cast<int64_t>(x < 0 ? -magnitude : magnitude);
}

// floor(x * m / 2^(31 - e) + 1/2).
Wide SingleRounding(int32_t x, int32_t m, int e) {
  const Wide denominator = Wide{1} << (31 - e);
  const Wide numerator = 2 * (Wide{x} * m) + denominator;  // over 2 * denominator
  Wide quotient = numerator / (2 * denominator);
  if (numerator % (2 * denominator) < 0) --quotient;
  return quotient;
}

TEST(RequantTest, HandValues) {
  // 100 * 0.75 = 75; -2 * 0.25 = -0.5: single rounds ties up to 0, double away from zero to -1.
  EXPECT_EQ(FixedPointMultiply(100, 3 << 29, 0, Rounding::kSingle), 75);
  EXPECT_EQ(FixedPointMultiply(-2, 1 << 30, -1, Rounding::kSingle), 0);
  EXPECT_EQ(FixedPointMultiply(-2, 1 << 30, -1, Rounding::kDouble), -1);
  EXPECT_EQ(FixedPointMultiply(INT32_MIN, INT32_MIN, 0, Rounding::kDouble), INT32_MAX);
  const RequantLane lane{10, 1 << 30, 1, -5, -100, 90};
  EXPECT_EQ(Requant(20, lane, Rounding::kSingle), 25);
  EXPECT_EQ(Requant(2000, lane, Rounding::kSingle), 90);
  EXPECT_EQ(Requant(-2000, lane, Rounding::kDouble), -100);
  EXPECT_EQ(Requant(INT32_MAX, {1, 1 << 30, 1, 0, -128, 127}, Rounding::kSingle), -128);  // wraps
}

TEST(LookUpTest, PlacesAreTheEightBitsOfTheCode) {
  int8_t table[kLutBytes] = {};
  table[0] = 10, table[127] = -128, table[128] = 127, table[255] = -1;
  EXPECT_EQ(LookUp(table, 0), 10);
  EXPECT_EQ(LookUp(table, 127), -128);
  EXPECT_EQ(LookUp(table, -128), 127);
  EXPECT_EQ(LookUp(table, -1), -1);
  EXPECT_EQ(LookUp(table, 1), 0);
}

TEST(RequantTest, RandomValuesFollowBothDefinitions) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 300000; ++n) {
    const int32_t x = static_cast<int32_t>(random()) >> (random() % 32);
    const int32_t m = static_cast<int32_t>(random()) >> (random() % 20);
    const int e = static_cast<int>(random() % 62) - 31;
    ASSERT_EQ(Wide{FixedPointMultiply(x, m, e, Rounding::kSingle)}, SingleRounding(x, m, e))
        << x << " " << m << " " << e;
    const int32_t shifted = e > 0 ? static_cast<int32_t>(static_cast<uint32_t>(x) << e) : x;
    const int64_t expected =
        DivideByPowerOfTwo(SaturatingDoublingHighMultiply(shifted, m), e < 0 ? -e : 0);
    ASSERT_EQ(FixedPointMultiply(x, m, e, Rounding::kDouble), expected)
        << x << " " << m << " " << e;
  }
}

TEST(RequantTest, ExponentsPastTheRangeAreClamped) {
  for (Rounding rounding : {Rounding::kSingle, Rounding::kDouble}) {
    EXPECT_EQ(FixedPointMultiply(12345, INT32_MAX, -128, rounding),
              FixedPointMultiply(12345, INT32_MAX, -31, rounding));
    EXPECT_EQ(FixedPointMultiply(3, INT32_MAX, 127, rounding),
              FixedPointMultiply(3, INT32_MAX, 30, rounding));
  }
}

TEST(RequantTest, PackedWordRoundTripsAndANarrowMultiplierDropsLowBits) {
  const RequantLane lane{-7, 0x12345678, -9, -128, -3, 127};
  EXPECT_EQ(UnpackRequant(lane.bias, lane.multiplier, PackRequant(lane)), lane);
  EXPECT_EQ(static_cast<uint32_t>(PackRequant(lane)), 0x7ffd80f7u);
  EXPECT_EQ(TruncateMultiplier(0x7fffffff, 32), 0x7fffffff);
  EXPECT_EQ(TruncateMultiplier(0x7fffffff, 16), 0x7fff0000);
  EXPECT_EQ(TruncateMultiplier(-1, 8), static_cast<int32_t>(0xff000000));
}

TEST(AluTest, ShiftCoversEveryAmount) {
  for (int32_t n = -40; n <= 40; ++n)
    for (int32_t x : {1, -1, 12345, -12345, INT32_MIN, INT32_MAX}) {
      const Wide exact = n >= 0 ? Wide{x} >> std::min(n, 60) : Wide{x} << -n;
      EXPECT_EQ(ShiftRight(x, n), static_cast<int32_t>(exact)) << x << " " << n;
    }
  EXPECT_EQ(ShiftRight(-5, INT32_MIN), 0);
  EXPECT_EQ(ShiftRight(-5, INT32_MAX), -1);
}

}  // namespace
}  // namespace vta::isa
