// Affine forms, intervals and proofs: by hand, and against all values of small ranges.
#include "compiler/loop/arith.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {
namespace {

struct Place {
  Var x = MakeVar("x"), y = MakeVar("y");
  Facts facts;
  Place(Interval rx, Interval ry) {
    facts.SetRange(x, rx);
    facts.SetRange(y, ry);
  }
};

TEST(LoopArith, ResolvesDivisionWhereRangesAllow) {
  Place p({0, 6}, {0, 3});
  const Expr x = p.x, y = p.y;
  EXPECT_EQ(Print(p.facts.Simplify(FloorDiv(x * 4 + y, 4))), "x");
  EXPECT_EQ(Print(p.facts.Simplify(FloorMod(x * 4 + y, 4))), "y");
  EXPECT_EQ(Print(p.facts.Simplify(FloorDiv(x * 8 + y + 5, 4))), "x * 2 + (y + 1) // 4 + 1");
  EXPECT_EQ(Print(p.facts.Simplify(FloorDiv(x, 3) * 6 + FloorMod(x, 3) * 2 + y)), "x * 2 + y");
  EXPECT_EQ(Print(p.facts.Simplify(x + y - x)), "y");
  Place far({9, 11}, {0, 0});
  EXPECT_EQ(Print(far.facts.Simplify(FloorDiv(Expr(far.x), 4))), "2");
  EXPECT_EQ(Print(far.facts.Simplify(FloorMod(Expr(far.x), 4))), "x - 8");
}

TEST(LoopArith, BoundsALesserAndAGreaterByTheirSum) {
  Place p({0, 6}, {0, 3});
  const Expr x = p.x, wave = Min(x, 6 - x), valley = Max(x * 2 + 1, 7 - x * 2);
  EXPECT_EQ(p.facts.Bounds(wave).low, 0);
  EXPECT_EQ(p.facts.Bounds(wave).high, 3);
  EXPECT_TRUE(p.facts.Proves(wave < 4));
  EXPECT_EQ(p.facts.Bounds(valley).low, 4);
  const Expr phase = FloorMod(x + p.y * 5 - 3, 8);
  EXPECT_TRUE(p.facts.Proves(Min(phase, 8 - phase) <= 4));
  EXPECT_FALSE(p.facts.Proves(Min(phase, 8 - phase) < 4));
}

/// Guards bound the operands closer than their ranges do.
TEST(LoopArith, ProvesOfALesserWhatHoldsOfItsOperands) {
  Place p({0, 6}, {0, 3});
  const Expr x = p.x, y = p.y, row = Min(Max(x - 2, 0), 1), least = Max(Min(5 - x, 4), 1);
  EXPECT_TRUE(p.facts.Proves(row >= 0 && row <= 1));
  EXPECT_FALSE(p.facts.Proves(Min(x - 2, 1) >= 0));
  EXPECT_FALSE(p.facts.Proves(Max(x - 2, 1) <= 3));
  p.facts.Assume(x >= 2 && x <= 4 + y);
  EXPECT_TRUE(p.facts.Proves(row >= 0 && row <= 1));
  EXPECT_FALSE(p.facts.Proves(row >= 1));
  EXPECT_TRUE(p.facts.Proves(Min(x - 2, 1) >= 0));
  EXPECT_FALSE(p.facts.Proves(Min(x - 3, 1) >= 0));
  EXPECT_TRUE(p.facts.Proves(Max(x - 4, y) <= y));
  EXPECT_FALSE(p.facts.Proves(Max(x - 3, y) <= y));
  EXPECT_TRUE(p.facts.Proves(least >= 1 && Min(x - y, x) <= 4));  // either operand does
  EXPECT_TRUE(p.facts.Proves(Max(x + 1, y) >= 3));
  EXPECT_FALSE(p.facts.Proves(Min(x + 1, y) >= 3));
}

/// Where no value of the ranges meets a condition, nothing is: all is true of it.
TEST(LoopArith, ProvesAllWhereAConditionNeverHolds) {
  Place p({0, 2}, {0, 3});
  Facts never = p.facts;
  never.Assume(p.x + 24 < 16);
  EXPECT_TRUE(never.Proves(FloorDiv(p.x + 24, 16) < 1));
  p.facts.Assume(p.x + 14 < 16);
  EXPECT_FALSE(p.facts.Proves(FloorDiv(p.x + 24, 16) < 1));
}

TEST(LoopArith, ProvesFromGuards) {
  Place p({0, 3}, {0, 3});
  const Expr x = p.x, y = p.y;
  EXPECT_FALSE(p.facts.Proves(x * 4 + y < 13));
  p.facts.Assume(x * 4 + y <= 12);
  EXPECT_TRUE(p.facts.Proves(x * 4 + y < 13));
  EXPECT_FALSE(p.facts.Proves(x * 4 + y < 12));
  EXPECT_TRUE(p.facts.Proves(x * 8 + y * 2 < 25));
  EXPECT_TRUE(p.facts.Proves(x * 4 < 13));
  EXPECT_TRUE(p.facts.Proves(x + y < 6));  // of whole numbers: 2 and 3 at most
  EXPECT_FALSE(p.facts.Proves(x + y < 5));
  EXPECT_TRUE(p.facts.Proves(FloorDiv(x * 4 + y, Expr(5)) < 3));
  EXPECT_FALSE(p.facts.Proves(FloorDiv(x * 4 + y, Expr(5)) < 2));
  // What holds of a quotient does of what is divided.
  Place q({0, 30}, {0, 30});
  q.facts.Assume(FloorDiv(Expr(q.x), Expr(4)) + q.y < 3);
  EXPECT_TRUE(q.facts.Proves(Expr(q.x) < 12));
  EXPECT_FALSE(q.facts.Proves(Expr(q.x) < 11));
  EXPECT_TRUE(q.facts.Proves(q.x + q.y * 4 <= 11));
  EXPECT_FALSE(q.facts.Proves(q.x + q.y * 4 <= 10));
  // But of numbers that wrap nothing is known.
  Place wide({0, 10}, {-100, 100});
  wide.facts.Assume(FloorDiv(Expr(wide.y), Expr(int64_t{1} << 25)) < wide.x * (int64_t{1} << 39));
  EXPECT_FALSE(wide.facts.Proves(Expr(wide.y) < 0));
  EXPECT_TRUE(p.facts.Proves(FloorDiv(x * 4 + y, Expr(5)) * 2 < 5));
  EXPECT_FALSE(p.facts.Proves(FloorDiv(x * 4 + y, Expr(5)) * 2 < 4));
  // 11 at most, that is 5 pairs: x * 2 + y // 2, of which the guard bounds no part alone.
  Place pairs({0, 2}, {0, 3});
  pairs.facts.Assume(Expr(pairs.x) * 4 + pairs.y < 11);
  EXPECT_TRUE(pairs.facts.Proves(FloorDiv(Expr(pairs.x) * 4 + pairs.y, Expr(2)) < 6));
  EXPECT_FALSE(pairs.facts.Proves(FloorDiv(Expr(pairs.x) * 4 + pairs.y, Expr(2)) < 5));
  pairs.facts.Assume(Expr(pairs.x) * 4 + pairs.y < 10);
  EXPECT_TRUE(pairs.facts.Proves(FloorDiv(Expr(pairs.x) * 4 + pairs.y, Expr(2)) * 3 < 13));
  Facts other = p.facts;
  other.Assume(x < 2 || y < 1, false);
  EXPECT_TRUE(other.Proves(x >= 2 && y >= 1));
  EXPECT_TRUE(p.facts.Proves(Not(x > 3) && (x < 0 || y <= 3)));
  Place single({5, 5}, {0, 3});
  single.facts.Assume(Expr(single.x) >= 5);
  EXPECT_FALSE(single.facts.Proves(Expr(single.y) < 0));
  single.facts.Assume(Expr(single.x) < 5);  // of which there is none
  EXPECT_TRUE(single.facts.Proves(Expr(single.y) < 0));
}

/// A random index expression of x and y.
Expr RandomExpr(const Place& p, std::mt19937& rng, int depth) {
  if (depth == 0)
    return rng() % 3 == 0 ? Expr(static_cast<int>(rng() % 9) - 4) : Expr(rng() % 2 ? p.x : p.y);
  const Expr a = RandomExpr(p, rng, depth - 1), b = RandomExpr(p, rng, depth - 1);
  const int64_t c = 1 + rng() % 5;
  switch (rng() % 7) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * c;
    case 3:
      return FloorDiv(a, c);
    case 4:
      return FloorMod(a, c);
    case 5:
      return Min(a, b);
    default:
      return Max(a, b);
  }
}

int64_t Eval(const Expr& e, const VarMap& at) {
  const Expr value = Substitute(e, at);
  EXPECT_EQ(value.op(), Op::kConst);
  return value->int_value;
}

TEST(LoopArith, RandomExpressionsKeepTheirValuesAndBounds) {
  std::mt19937 rng(1);
  int proved = 0, hold = 0;
  for (int round = 0; round < 1500; ++round) {
    const int64_t low_x = static_cast<int>(rng() % 5) - 2, low_y = static_cast<int>(rng() % 5) - 2;
    Place p({low_x, low_x + static_cast<int>(rng() % 6)},
            {low_y, low_y + static_cast<int>(rng() % 6)});
    const Interval rx = p.facts.Bounds(Expr(p.x)), ry = p.facts.Bounds(Expr(p.y));
    const Expr e = RandomExpr(p, rng, 3), guard = RandomExpr(p, rng, 1) <= RandomExpr(p, rng, 1);
    const Expr claim = RandomExpr(p, rng, 2) <= RandomExpr(p, rng, 2);
    const Expr simple = p.facts.Simplify(e);
    const Interval bounds = p.facts.Bounds(e);
    Facts guarded = p.facts;
    guarded.Assume(guard);
    const bool proves = guarded.Proves(claim);
    bool all = true;
    for (int64_t x = rx.low; x <= rx.high; ++x)
      for (int64_t y = ry.low; y <= ry.high; ++y) {
        const VarMap at = {{p.x, x}, {p.y, y}};
        const int64_t value = Eval(e, at);
        ASSERT_EQ(Eval(simple, at), value) << Print(e) << " became " << Print(simple);
        ASSERT_TRUE(bounds.low <= value && value <= bounds.high) << Print(e);
        if (Eval(guard, at)) all &= Eval(claim, at) != 0;
      }
    ASSERT_TRUE(all || !proves) << Print(guard) << " does not give " << Print(claim);
    proved += proves;
    hold += all;
  }
  EXPECT_GT(proved, hold / 2);  // it proves most of what is true
}

}  // namespace
}  // namespace vta::compiler::loop
