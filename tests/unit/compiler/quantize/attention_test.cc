// Products of two activations get codes, the second operand's around 0.
#include <gtest/gtest.h>

#include "compiler/graph/ops.h"
#include "compiler/quantize/error.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

/// softmax(q * k') * v, with keys and values far from 0; `k` is multiplied twice.
Graph Attention() {
  Graph graph("attention");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 6, 8}});
  const auto layer = [&](const char* name, uint32_t seed) {
    Tensor weights = RandomTensor({8, 8}, 0.3F, seed);
    for (float& weight : weights.mutable_data<float>()) weight += 0.1F;
    return graph.Emit(Op::kMatMul, name, {x, graph.AddConstant("w", std::move(weights))}, {});
  };
  const ValueId q = layer("q", 1), k = layer("k", 2), v = layer("v", 3);
  const ValueId turned = graph.Emit(Op::kTranspose, "turned", {k}, {{"perm", Shape{0, 2, 1}}});
  const ValueId scores = graph.Emit(Op::kMatMul, "scores", {q, turned}, {});
  const ValueId shares = graph.Emit(Op::kSoftmax, "shares", {scores}, {{"axis", int64_t{2}}});
  const ValueId sums = graph.Emit(Op::kMatMul, "sums", {shares, v}, {});
  graph.AddOutput("y", graph.Emit(Op::kMatMul, "again", {sums, turned}, {}));
  return graph;
}

/// That a real value is dequantised with, through moves.
int64_t ZeroPointOf(const Graph& graph, ValueId value) {
  const Node* maker = graph.Producer(value);
  while (maker && maker->op == Op::kTranspose) maker = graph.Producer(maker->inputs[0]);
  if (!maker || maker->op != Op::kDequantize) throw Error("value", "", "", "is not of codes");
  return static_cast<int64_t>(graph.constant(maker->inputs[2])->At(0));
}

TEST(QuantisedAttention, SecondOperandsAreCentred) {
  const Graph graph = Attention();
  const auto samples = NormalSamples(graph, 8, 1.5F);
  Options options;
  options.method = Method::kMinMax;
  const Result result = Quantise(graph, On(samples), options);
  EXPECT_EQ(result.left_float, std::vector<std::string>());
  const Graph& quantised = result.quantised.graph;
  int64_t products = 0;
  bool is_first_off_centre = false;
  for (const Node& node : quantised.nodes()) {
    if (node.op != Op::kMatMul) continue;
    const Node* const second = quantised.Producer(node.inputs[1]);
    if (second->op == Op::kDequantize && quantised.constant(second->inputs[0]))
      continue;  // weights
    ++products;
    EXPECT_EQ(ZeroPointOf(quantised, node.inputs[1]), 0) << node.name;
    is_first_off_centre |= ZeroPointOf(quantised, node.inputs[0]) != 0;
  }
  EXPECT_EQ(products, 3);
  EXPECT_TRUE(is_first_off_centre);  // softmax's are all above 0
  EXPECT_GT(OutputNoise(result.real, quantised, On(samples), Evaluator()).decibels(), 25);
}

}  // namespace
}  // namespace vta::compiler::quantize
