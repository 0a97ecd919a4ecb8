// Building and printing the loop IR by hand.
#include "compiler/loop/ir.h"

#include <gmock/gmock.h>

#include "compiler/loop/analysis.h"
#include "isa/support/error.h"

namespace vta::compiler::loop {
namespace {

using testing::HasSubstr;

Function Accumulate() {
  const Buffer a = MakeBuffer("a", DType::kInt8, {4, 6});
  const Buffer c = MakeBuffer("c", DType::kInt32, {4});
  const Var i = MakeVar("i"), k = MakeVar("k"), i1 = MakeVar("i1"), k1 = MakeVar("k1");
  const Stmt init = MakeStmt(Store{c, {i1}, IntConst(DType::kInt32, 0)});
  const Stmt body =
      MakeStmt(Store{c, {i1}, Load(c, {i1}) + Cast(DType::kInt32, Load(a, {i1, k1}))});
  const Stmt block =
      MakeStmt(Block{.name = "sum",
                     .iters = {{i1, 4, IterKind::kSpatial, i}, {k1, 6, IterKind::kReduce, k}},
                     .where = Expr(i) * 2 + k < 9,
                     .init = init,
                     .body = body});
  const Stmt inner = MakeStmt(For{.var = k, .extent = 6, .body = block});
  return {"accumulate",
          {a, c},
          MakeStmt(For{.var = i, .extent = 4, .kind = ForKind::kVthread, .body = inner})};
}

TEST(LoopIr, Prints) {
  EXPECT_EQ(Print(Accumulate()), R"(func accumulate(
    a: int8[4, 6],
    c: int32[4]) {
  for i in 4 vthread {
    for k in 6 {
      block sum(i1: 4 = i, reduce k1: 6 = k) where i * 2 + k < 9 {
        init c[i1] = 0i32
        c[i1] = c[i1] + int32(a[i1, k1])
      }
    }
  }
}
)");
}

TEST(LoopIr, LeavesAreTheStoresOfABody) {
  const Buffer c = MakeBuffer("c", DType::kInt32, {4}), d = MakeBuffer("d", DType::kInt32, {4});
  const Stmt one = MakeStmt(Store{c, {1}, IntConst(DType::kInt32, 1)}),
             two = MakeStmt(Store{d, {2}, Load(c, {1})});
  EXPECT_EQ(Leaves(one), std::vector{one});
  EXPECT_EQ(Leaves(MakeSeq({one, two})), (std::vector{one, two}));
  EXPECT_TRUE(Leaves(nullptr).empty());
  const Block block{.name = "b", .init = MakeSeq({one, two}), .body = MakeSeq({one, two})};
  EXPECT_EQ(Print(MakeStmt(block)),
            "block b() {\n"
            "  init c[1] = 1i32\n"
            "  init d[2] = c[1]\n"
            "  c[1] = 1i32\n"
            "  d[2] = c[1]\n"
            "}\n");
  EXPECT_EQ(Written(block), (std::vector{c, d}));
  EXPECT_TRUE(Writes(block, d) && Reads(block, c) && !Reads(block, d));
  try {
    OnlyWrite(block);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "block b: stores = c, d: must be one value, not several");
  }
}

TEST(LoopIr, FoldsIndexArithmeticOnly) {
  const Expr x = MakeVar("x");
  EXPECT_EQ(Print(x * 1 + 0), "x");
  EXPECT_EQ(Print(Expr(7) - 9), "-2");
  EXPECT_EQ(Print(FloorDiv(-7, 2)), "-4");
  EXPECT_EQ(Print(FloorMod(-7, 2)), "1");
  EXPECT_EQ(Print(x - (x - 1)), "x - (x - 1)");
  EXPECT_EQ(Print(IntConst(DType::kInt32, 1) + 2), "1i32 + 2i32");
  EXPECT_EQ(Print(IntConst(DType::kInt8, 200)), "-56i8");
  EXPECT_EQ(Print(FloatConst(0.1)), "0.100000001f");
}

TEST(LoopIr, RefusesOperandsOfDifferentTypes) {
  try {
    IntConst(DType::kInt32, 1) + FloatConst(1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("operation + = int32, float32: takes operands of one numeric type"));
  }
}

TEST(LoopIr, StridesPlaceElements) {
  const auto made = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return MakeBuffer("b", DType::kInt8, std::move(shape), "global", std::move(strides));
  };
  const Buffer rows = made({4, 56}, {64, 1}), columns = made({3, 5, 7}, {1, 21, 3});
  EXPECT_EQ(rows->SizeElems(), 3 * 64 + 56);
  EXPECT_TRUE(FlatIndex(rows, {2, 3}).IsConst(2 * 64 + 3));
  EXPECT_EQ(columns->SizeElems(), 105);
  EXPECT_TRUE(FlatIndex(columns, {1, 2, 3}).IsConst(1 + 42 + 9));
  const Buffer dense = made({4, 6}, {6, 1});
  EXPECT_TRUE(dense->strides.empty());
  EXPECT_TRUE(FlatIndex(dense, {2, 3}).IsConst(15));

  EXPECT_EQ(WhyNotStrides({4, 56}, {56, 1}), "");
  EXPECT_EQ(WhyNotStrides({56, 4}, {1, 56}), "");
  EXPECT_EQ(WhyNotStrides({1, 56}, {1, 1}), "");
  EXPECT_THAT(WhyNotStrides({4, 56}, {55, 1}), HasSubstr("dimension 0 must be at least 56"));
  EXPECT_THAT(WhyNotStrides({4, 56}, {1, 3}), HasSubstr("dimension 1 must be at least 4"));
  EXPECT_THAT(WhyNotStrides({4}, {0}), HasSubstr("at least 1"));
  EXPECT_THAT(WhyNotStrides({4}, {1, 1}), HasSubstr("must be 1"));
  EXPECT_THAT(WhyNotStrides({1 << 20, 1 << 21}, {1 << 21, 1}), HasSubstr("within 2^40"));
  EXPECT_THAT(WhyNotStrides({3}, {INT64_MAX}), HasSubstr("within 2^40"));
}

}  // namespace
}  // namespace vta::compiler::loop
