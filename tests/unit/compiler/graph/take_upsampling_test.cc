// Gathers that repeat pixels of codes as upsampling, where a target takes that.
#include <gtest/gtest.h>

#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "tests/unit/compiler/graph/pass_testing.h"
#include "tests/unit/compiler/targets/vta/run.h"

namespace vta::compiler {
namespace {

const std::string kPool = R"(%x : int8[1,16,2,3] = input
%p : int8[1,16,2,3] = max_pool_i8(%x) {kernel=[1,1], pads=[0,0,0,0], strides=[1,1]} "p"
)",
                  kRows = R"(%i : int64[4] = const [0,0,1,1]
%r : int8[1,16,4,3] = gather(%p, %i) {axis=2} "r"
)",
                  kColumns = R"(%j : int64[6] = const [0,0,1,1,2,2]
%y : int8[1,16,4,6] = gather(%r, %j) {axis=3} "y"
)",
                  kOutput = "output \"y\" = %y\n";

const targets::VtaTarget& Vta() {
  static const targets::VtaTarget target(targets::ConfigNamed("default"));
  return target;
}

TEST(TakeUpsampling, OfRowsAndColumnsIsOne) {
  const Target* const targets[] = {&Vta()};
  const PassContext context{targets, &kRest};
  ExpectPass(TakeUpsampling, StrCat(kPool, kRows, kColumns, kOutput),
             StrCat(kPool, R"(%y : int8[1,16,4,6] = upsample_i8(%p) {scales=[2,2]} "y"
output "y" = %y
)"),
             0, context);
  ExpectPass(TakeUpsampling, StrCat(kPool, kRows, "output \"r\" = %r\n"),
             StrCat(kPool, R"(%r : int8[1,16,4,3] = upsample_i8(%p) {scales=[2,1]} "r"
output "r" = %r
)"),
             0, context);
}

/// Other pixels, real numbers, an input's codes, and where no target is.
TEST(TakeUpsampling, LeavesOthers) {
  const Target* const targets[] = {&Vta()};
  const PassContext context{targets, &kRest};
  const std::string others = R"(%i : int64[4] = const [0,1,0,1]
%y : int8[1,16,4,3] = gather(%p, %i) {axis=2} "y"
output "y" = %y
)",
                    real = R"(%x : float32[1,16,2,3] = input
%p : float32[1,16,2,3] = relu(%x) "p"
%i : int64[4] = const [0,0,1,1]
%y : float32[1,16,4,3] = gather(%p, %i) {axis=2} "y"
output "y" = %y
)",
                    input = R"(%x : int8[1,16,2,3] = input
%i : int64[4] = const [0,0,1,1]
%y : int8[1,16,4,3] = gather(%x, %i) {axis=2} "y"
output "y" = %y
)";
  const std::string once = R"(%i : int64[3] = const [0,1,2]
%y : int8[1,16,2,3] = gather(%p, %i) {axis=3} "y"
output "y" = %y
)";
  for (const std::string& kept : {kPool + others, real, input, kPool + once})
    ExpectPass(TakeUpsampling, kept, kept, 0, context);
  const std::string all = StrCat(kPool, kRows, kColumns, kOutput);
  ExpectPass(TakeUpsampling, all, all, 0, {{}, &kRest});
}

/// More often than the op can, at once or one after the other: that is left as it is.
TEST(TakeUpsampling, EndsWhereTheOpDoes) {
  const Target* const targets[] = {&Vta()};
  const auto scales_of = [&](const std::vector<int64_t>& times) {
    Graph graph("often");
    const ValueId x = graph.AddInput("x", {DType::kInt8, {1, 16, 1, 2}});
    ValueId y = graph.Emit(
        Op::kMaxPoolI8, "p", {x},
        {{"kernel", Shape{1, 1}}, {"pads", Shape{0, 0, 0, 0}}, {"strides", Shape{1, 1}}});
    for (const int64_t each : times) {
      std::vector<int64_t> rows(static_cast<size_t>(graph.shape(y)[2] * each));
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i) / each;
      const Shape shape{static_cast<int64_t>(rows.size())};
      const ValueId indices = graph.AddConstant("i", Tensor::Of<int64_t>(shape, rows));
      y = graph.Emit(Op::kGather, "g", {y, indices}, {{"axis", int64_t{2}}});
    }
    graph.AddOutput("y", y);
    std::vector<int64_t> scales;
    const Graph taken = TakeUpsampling(graph, {targets, &kRest});
    Verify(taken);
    for (const Node& node : taken.nodes())
      if (node.op == Op::kUpsampleI8) scales.push_back(node.Ints("scales")[0]);
    return scales;
  };
  using Scales = std::vector<int64_t>;
  EXPECT_EQ(scales_of({8}), Scales{8});
  EXPECT_EQ(scales_of({8, 16}), Scales{128});
  EXPECT_EQ(scales_of({5000}), Scales{});
  EXPECT_EQ(scales_of({70, 70}), (Scales{70, 70}));
}

}  // namespace
}  // namespace vta::compiler
