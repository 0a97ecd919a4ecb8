// What steps compute, counted by pencil.
#include "compiler/graph/work.h"

#include <gtest/gtest.h>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

constexpr DType kWorkReal = DType::kFloat32, kWorkCodes = DType::kInt8, kWorkSums = DType::kInt32;

struct Counted {
  int64_t float_products = 0, code_products = 0, channel_products = 0, elements = 0, functions = 0;
};

// Of all nodes of a graph, as one step.
void Expect(const Graph& graph, const Counted& counted) {
  Step step{{}, "cpu"};
  for (size_t i = 0; i < graph.nodes().size(); ++i) step.nodes.push_back(static_cast<NodeId>(i));
  EXPECT_EQ(WorkOf(graph, step),
            (isa::WorkCounts{counted.float_products, counted.code_products,
                             counted.channel_products, counted.elements, counted.functions}));
}

Attributes Window(int64_t groups) {
  return {{"strides", std::vector<int64_t>{1, 1}},
          {"pads", std::vector<int64_t>{1, 1, 1, 1}},
          {"dilations", std::vector<int64_t>{1, 1}},
          {"groups", groups}};
}

ValueId Zeros(Graph& graph, const char* name, DType dtype, const Shape& shape) {
  return graph.AddConstant(name, Tensor({dtype, shape}));
}

TEST(WorkOf, AConvolutionInFloatAndWhatIsFusedToIt) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkReal, {1, 4, 5, 5}});
  const ValueId conv =
      graph.Emit(Op::kConv2d, "conv",
                 {x, Zeros(graph, "w", kWorkReal, {8, 4, 3, 3}), Zeros(graph, "b", kWorkReal, {8})},
                 Window(1));
  const ValueId sum = graph.Emit(Op::kAdd, "sum", {conv, conv}, {});
  graph.Emit(Op::kClip, "clip", {sum}, {{"low", 0.0}, {"high", 6.0}});
  // 25 pixels of 8 channels: 36 products; a bias, a sum and two limits.
  Expect(graph, {.float_products = 25 * 8 * 36, .elements = 25 * 8 * 4});
}

TEST(WorkOf, AWindowInOneChannelIsOfAKindOfItsOwn) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkReal, {1, 4, 5, 5}});
  graph.Emit(Op::kConv2d, "conv", {x, Zeros(graph, "w", kWorkReal, {4, 1, 3, 3})}, Window(4));
  Expect(graph, {.channel_products = 25 * 4 * 9});
  Graph pairs;  // two channels in a group
  const ValueId y = pairs.AddInput("y", {kWorkReal, {1, 4, 5, 5}});
  pairs.Emit(Op::kConv2d, "conv", {y, Zeros(pairs, "w", kWorkReal, {4, 2, 3, 3})}, Window(2));
  Expect(pairs, {.float_products = 25 * 4 * 18});
}

TEST(WorkOf, ProductsOfCodesAreRescaled) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkCodes, {2, 10}});
  graph.Emit(Op::kDenseI8, "dense",
             {x, Zeros(graph, "w", kWorkCodes, {3, 10}), Zeros(graph, "b", kWorkSums, {3}),
              Zeros(graph, "m", kWorkSums, {3}), Zeros(graph, "e", kWorkSums, {3})},
             {{"zero_point", int64_t{0}}, {"low", int64_t{-128}}, {"high", int64_t{127}}});
  Expect(graph, {.code_products = 2 * 3 * 10, .elements = 2 * 3 * 6});
}

TEST(WorkOf, AProductOfMatricesIsCountedOnce) {
  Graph graph;
  const ValueId a = graph.AddInput("a", {kWorkReal, {6, 4, 5}}),
                b = graph.AddInput("b", {kWorkReal, {5, 7}});
  graph.Emit(Op::kMatMul, "y", {a, b}, {});
  Expect(graph, {.float_products = 6 * 4 * 7 * 5});
}

TEST(WorkOf, FunctionsAndReductions) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkReal, {3, 10}});
  const ValueId soft = graph.Emit(Op::kSoftmax, "soft", {x}, {{"axis", int64_t{1}}});
  const ValueId tanh = graph.Emit(Op::kTanh, "tanh", {soft}, {});
  graph.Emit(Op::kReduceSum, "sum", {tanh},
             {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{0}}});
  Expect(graph, {.elements = 30 * 4 + 30, .functions = 30 + 30});
}

TEST(WorkOf, PoolsTakeTheirTaps) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkReal, {1, 2, 4, 4}});
  graph.Emit(Op::kMaxPool, "pool", {x},
             {{"kernel", std::vector<int64_t>{2, 2}},
              {"strides", std::vector<int64_t>{2, 2}},
              {"pads", std::vector<int64_t>{0, 0, 0, 0}},
              {"dilations", std::vector<int64_t>{1, 1}}});
  Expect(graph, {.elements = 8 * 4});
}

TEST(WorkOf, MovesHaveNone) {
  Graph graph;
  const ValueId x = graph.AddInput("x", {kWorkCodes, {1, 8, 2, 2}});
  const ValueId turned =
      graph.Emit(Op::kTranspose, "turn", {x}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  const ValueId flat =
      graph.Emit(Op::kReshape, "flat", {turned}, {{"shape", std::vector<int64_t>{1, 32}}});
  graph.Emit(Op::kConcat, "both", {flat, flat}, {{"axis", int64_t{1}}});
  Expect(graph, {});
}

}  // namespace
}  // namespace vta::compiler
