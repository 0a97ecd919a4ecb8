// Networks that get codes and scales without data: the same layers are of integers as with data.
#include "compiler/quantize/assume.h"

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/pass.h"
#include "compiler/quantize/float_form.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

/// A residual block, a pool, a matrix, and a softmax in float.
Graph Network() {
  Graph graph("net");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 4, 6, 6}});
  const Attributes same = {{"strides", std::vector<int64_t>{1, 1}},
                           {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                           {"dilations", std::vector<int64_t>{1, 1}},
                           {"groups", int64_t{1}}};
  const ValueId w = graph.AddConstant("w", RandomTensor({4, 4, 3, 3}, 0.3F, 1));
  const ValueId c = graph.Emit(Op::kConv2d, "conv", {x, w}, same);
  const ValueId r = graph.Emit(Op::kRelu, "relu", {c}, {});
  const ValueId s = graph.Emit(Op::kAdd, "add", {r, x}, {});
  const ValueId p = graph.Emit(Op::kReduceMean, "mean", {s},
                               {{"axes", std::vector<int64_t>{2, 3}}, {"keepdims", int64_t{0}}});
  const ValueId m = graph.AddConstant("m", RandomTensor({4, 5}, 0.5F, 2));
  const ValueId y = graph.Emit(Op::kMatMul, "dense", {p, m}, {});
  graph.AddOutput("y", graph.Emit(Op::kSoftmax, "softmax", {y}, {{"axis", int64_t{1}}}));
  return graph;
}

std::vector<std::string> OpsOf(const Graph& graph) {
  const Graph integers = RunPasses(graph, NormalizePipeline(), {});
  std::vector<std::string> ops;
  for (const Node& node : integers.nodes()) ops.emplace_back(Spec(node.op).name);
  return ops;
}

TEST(Assume, TheSameLayersAreOfIntegersAsWithData) {
  const Graph graph = Network();
  const auto samples = NormalSamples(graph, 4, 0.2F);
  const Graph with_data = Quantise(graph, On(samples), {.equalise = Choice::kOff}).quantised.graph;
  const Graph assumed = Assume(graph, 1, std::nullopt, Evaluator());
  EXPECT_EQ(OpsOf(assumed), OpsOf(with_data));
  EXPECT_TRUE(IsQuantised(assumed));
}

TEST(Assume, TheSeedMakesTheCodes) {
  const Graph graph = Network();
  const auto text = [&](uint64_t seed) {
    return Print(Assume(graph, seed, std::nullopt, Evaluator()));
  };
  EXPECT_EQ(text(4), text(4));
  EXPECT_NE(text(4), text(5));
}

TEST(Assume, RefusesWhatHasCodes) {
  const Graph assumed = Assume(Network(), 1, std::nullopt, Evaluator());
  EXPECT_EQ(ErrorOf([&] { Assume(assumed, 1, std::nullopt, Evaluator()); }),
            "net: is quantised already: it has codes and scales");
}

}  // namespace
}  // namespace vta::compiler::quantize
