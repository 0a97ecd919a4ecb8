// Two functions as one: what it computes, its names, and that schedules go across.
#include "compiler/loop/merge.h"

#include <gtest/gtest.h>

#include "compiler/loop/parser.h"
#include "compiler/loop/schedule/schedule.h"
#include "compiler/loop/verify.h"
#include "isa/support/error.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/loop/run.h"

namespace vta::compiler::loop {
namespace {

constexpr char kTwice[] = R"(
func twice(x: int32[6, 4], y: int32[6, 4]) {
  for i in 6 { for j in 4 { block y(vi: 6 = i, vj: 4 = j) { y[vi, vj] = x[vi, vj] * 2i32 } } }
})";
constexpr char kSums[] = R"(
func sums(x: int32[6, 4], b: int32[6], y: int32[6]) {
  alloc y_1: int32[6]
  for i in 6 { for j in 4 { block y(vi: 6 = i, reduce vj: 4 = j) {
    init y_1[vi] = 0i32
    y_1[vi] = y_1[vi] + x[vi, vj]
  } } }
  for i in 6 { block y_1(vi: 6 = i) { y[vi] = y_1[vi] + b[vi] } }
})";

TEST(Merge, OneFunctionDoesBoth) {
  const Function merged = Merge("both", Parse(kTwice), Parse(kSums), {{"y", "x"}});
  Verify(merged);
  EXPECT_EQ(Print(merged), R"(func both(
    x: int32[6, 4],
    b: int32[6],
    y_2: int32[6]) {
  alloc y: int32[6, 4]
  for i in 6 {
    for j in 4 {
      block y(vi: 6 = i, vj: 4 = j) {
        y[vi, vj] = x[vi, vj] * 2i32
      }
    }
  }
  alloc y_1: int32[6]
  for i in 6 {
    for j in 4 {
      block y_3(vi: 6 = i, reduce vj: 4 = j) {
        init y_1[vi] = 0i32
        y_1[vi] = y_1[vi] + y[vi, vj]
      }
    }
  }
  for i in 6 {
    block y_1(vi: 6 = i) {
      y_2[vi] = y_1[vi] + b[vi]
    }
  }
}
)");
  // A schedule across both: a line of the first is made where the second reads it.
  Schedule schedule(merged);
  schedule.Replay("compute_at y y_3 i\nreverse_compute_at y_1 y_3 i\n");
  for (const Function& f : {merged, schedule.function()}) {
    const auto x = Random<int32_t>(24, 1), b = Random<int32_t>(6, 2);
    std::vector<int32_t> got(6, -1), want = b, in = x, bias = b;
    for (int i = 0; i < 24; ++i) want[i / 4] += 2 * x[i];
    RunOn(f, in, bias, got);
    EXPECT_EQ(got, want) << Print(f);
  }
}

TEST(Merge, WhatIsPassedMayBeAResult) {
  const Function merged = Merge("both", Parse(kTwice), Parse(kSums), {{"y", "x", false}});
  auto x = Random<int32_t>(24, 3), b = Random<int32_t>(6, 4);
  std::vector<int32_t> twice(24), sums(6);
  RunOn(merged, x, twice, b, sums);
  EXPECT_EQ(twice[5], 2 * x[5]);
  EXPECT_EQ(sums[1], b[1] + 2 * (x[4] + x[5] + x[6] + x[7]));
}

TEST(Merge, Refuses) {
  const Function twice = Parse(kTwice), sums = Parse(kSums);
  EXPECT_EQ(ErrorOf([&] {
              Merge("m", twice, sums, {{"z", "x"}});
            }),
            "func twice: parameter = z: there is none of that name");
  EXPECT_EQ(ErrorOf([&] {
              Merge("m", twice, sums, {{"y", "b"}});
            }),
            "func sums: parameter = b: must be as y of func twice");
  EXPECT_EQ(ErrorOf([&] {
              Merge("m", twice, sums, {{"y", "x"}, {"x", "x"}});
            }),
            "func sums: parameter = x: is passed twice");
  EXPECT_EQ(ErrorOf([&] {
              Merge("m", twice, twice, {{"y", "y"}});
            }),
            "func twice: parameter = y: is written by it");
}

}  // namespace
}  // namespace vta::compiler::loop
