// Graph text: what it looks like, that it parses back, and what broken text is told.
#include "compiler/graph/text.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/verify.h"
#include "isa/support/file.h"
#include "tests/support/error_of.h"
#include "tests/support/files.h"

namespace vta::compiler {
namespace {

constexpr const char* kText =
    R"(graph "net" rounding=double
%x : int8[1,2] = input
%w : int8[3,2] = const [1,2,3,4,-5,-6]
%"b/0" : int32[3] = const [10,20,30]
%m : int32[3] = const [1073741824,1073741824,1073741824]
%e : int32[3] = const [1,0,-1]
%y : int8[1,3] = dense_i8(%x, %w, %"b/0", %m, %e) {high=100, low=-128, zero_point=5} "fc \"1\"" @vta:0
%z : float32[1,3] = cast(%y) {to="float32"} "tail"
%c : float32[1,3] = clip(%z) {high=6.0, low=0.5} "clip"
output "y" = %c
)";

TEST(GraphText, RoundTripsAndEvaluates) {
  Graph graph = ParseGraph(kText, {}, "net.txt");
  Verify(graph);
  EXPECT_EQ(Print(graph), kText);
  // Sums 5, 17, -29; with bias 15, 37, 1; times 1, 1/2, 1/4; plus 5. The last, 0.25, is rounded to
  // 0.5 and then to 1 in mode double, to 0 in mode single.
  const std::vector<Tensor> x = {Tensor::Of<int8_t>({1, 2}, {7, -1})};
  Tensor y = Evaluate(graph, x)[0];
  EXPECT_EQ(y.At(0), 6);  // 20 clipped
  EXPECT_EQ(y.At(2), 6);
  graph.set_rounding(isa::Rounding::kSingle);
  EXPECT_EQ(Evaluate(graph, x)[0].At(2), 5);
}

TEST(GraphText, TheFuzzingSeedsAreSound) {
  int seeds = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/fuzz/corpus/graph"))) {
    const Graph graph = ParseGraph(ReadTextFile(entry.path()), {}, entry.path());
    Verify(graph);
    Evaluate(graph, {Tensor(graph.type(graph.inputs()[0]))});
    ++seeds;
  }
  EXPECT_GE(seeds, 2);
}

TEST(GraphText, LargeConstantsAreInTheTable) {
  Graph graph("g");
  std::vector<float> data(9);
  for (int i = 0; i < 9; ++i) data[i] = 0.1f * static_cast<float>(i);
  const ValueId c = graph.AddConstant("c", Tensor::Of<float>({3, 3}, data));
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {3, 3}});
  graph.AddOutput("sum", graph.Emit(Op::kAdd, "sum", {x, c}, {}));
  const std::string text = Print(graph);
  EXPECT_NE(text.find("const #"), std::string::npos);
  EXPECT_EQ(Print(ParseGraph(text, Constants(graph), "g")), text);
  EXPECT_THROW(ParseGraph(text, {}, "g"), Error);
}

std::string ParseError(const std::string& body) {
  return ErrorOf([&] { ParseGraph("graph \"g\" rounding=single\n" + body, {}, "f"); });
}

TEST(GraphText, Errors) {
  const std::string x = "%x : float32[2,3] = input\n";
  EXPECT_EQ(ParseError(x + "%y : float32[3,2] = relu(%x) \"r\""),
            "f, line 3, column 33: text = \"\": the op makes float32[2,3], not float32[3,2]");
  EXPECT_EQ(ParseError("%y : float32[2] = relu(%x) \"r\""),
            "f, line 2, column 26: text = \") \\\"r\\\"\": no value %x is defined above");
  EXPECT_EQ(ParseError(x + x),
            "f, line 3, column 3: text = \" : float32[2,3] = in\": value %x is "
            "defined twice");
  EXPECT_EQ(ParseError(x + "%y : float32[6] = reshape(%x) \"r\""),
            "f, line 3: reshape \"r\": attribute shape = missing: is required");
  EXPECT_EQ(ParseError(x + "%y : float32[6] = reshape(%x) {shape=[7]} \"r\""),
            "f, line 3: reshape \"r\": shape = [7]: must have as many elements as [2,3]");
  EXPECT_EQ(ParseError(x + "%y : float32[6] = reshape(%x) {shape=7} \"r\""),
            "f, line 3: reshape \"r\": attribute shape = 7: must be a list of integers");
  EXPECT_EQ(ParseError(x + "%y : float32[6] = frobnicate(%x) \"r\""),
            "f, line 3, column 29: text = \"(%x) \\\"r\\\"\": there is no op frobnicate");
  EXPECT_EQ(ParseError("%c : int8[1] = const [200]"),
            "f, line 2, column 26: text = \"]\": 200 is not an int8");
  EXPECT_EQ(ParseError("%c : int8[0] = input"),
            "f, line 2, column 13: text = \" = input\": dimensions must be at least 1");
}

TEST(GraphVerify, GroupsMustBeExecutable) {
  // a and c form a group, b between them does not: neither can go first.
  const std::string text = R"(graph "g" rounding=single
%x : float32[1] = input
%a : float32[1] = relu(%x) "a" @vta:0
%b : float32[1] = relu(%a) "b"
%c : float32[1] = relu(%b) "c" @vta:0
output "c" = %c
)";
  try {
    Verify(ParseGraph(text, {}, "g"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "g: groups = cyclic: groups must not wait for each other in a circle");
  }
}

}  // namespace
}  // namespace vta::compiler
