// Softmax, normalisation, and sums and greatest values along the last axis, in lanes.
#include <gtest/gtest.h>

#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"
#include "compiler/graph/text.h"
#include "compiler/targets/cpu/express.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

constexpr Op kLineOps[] = {Op::kSoftmax,   Op::kReduceMean, Op::kReduceSum,
                           Op::kReduceMax, Op::kReduceMin,  Op::kNormalize};

ValueId Reals(Graph& graph, ValueId codes) {
  const ValueId scale = graph.AddConstant("scale", Tensor::Of<float>({}, {0.03125f})),
                zero = graph.AddConstant("zero", Tensor::Of<int8_t>({}, {-3}));
  return graph.Emit(Op::kDequantize, "reals", {codes, scale, zero}, {{"axis", int64_t{0}}});
}

/// An input of lines: reals, or codes that become such, that are transposed before, or that leave
/// an accelerator's blocks and are cut.
ValueId InputOf(Graph& graph, Shape shape, int64_t kind) {
  if (kind == 0) return graph.AddInput("x", {DType::kFloat32, shape});
  if (kind == 1) return Reals(graph, graph.AddInput("x", {DType::kInt8, shape}));
  if (kind == 2) {
    Shape perm, from;
    for (size_t d = shape.size(); d-- > 0;) perm.push_back(static_cast<int64_t>(d));
    for (const int64_t d : perm) from.push_back(shape[d]);
    const ValueId x = graph.AddInput("x", {DType::kInt8, from});
    return Reals(graph, graph.Emit(Op::kTranspose, "turned", {x}, {{"perm", perm}}));
  }
  const int64_t width = shape.back(), channels = Elements(shape) / width;
  ValueId x = graph.AddInput("x", {DType::kInt8, {1, (channels + 15) / 16, 1, width + 2, 1, 16}});
  x = graph.Emit(Op::kUnpack, "plain", {x}, {{"shape", Shape{1, channels, 1, width + 2}}});
  x = graph.Emit(Op::kSlice, "some", {x},
                 {{"starts", Shape{0, 0, 0, 1}},
                  {"steps", Shape{1, 1, 1, 1}},
                  {"shape", Shape{1, channels, 1, width}}});
  return Reals(graph, graph.Emit(Op::kReshape, "lines", {x}, {{"shape", shape}}));
}

/// One of them, what may make its lines, and up to two ops behind it.
Graph RandomLines(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Graph graph("lines");
  Shape shape(draw(1, 3));
  for (int64_t& size : shape) size = draw(1, 5);
  shape.push_back(draw(0, 2) ? draw(20, 100) : 16 * draw(2, 6));
  const ValueId x = InputOf(graph, shape, draw(0, 3));
  const Op op = kLineOps[seed % std::size(kLineOps)];
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  ValueId y =
      op == Op::kSoftmax ? graph.Emit(op, "y", {x}, {{"axis", last}})
      : op == Op::kNormalize
          ? graph.Emit(op, "y", {x}, {{"axis", last}, {"centred", draw(0, 1)}, {"epsilon", 1e-5}})
          : graph.Emit(op, "y", {x}, {{"axes", Shape{last}}, {"keepdims", draw(0, 1)}});
  if (draw(0, 1)) y = graph.Emit(Op::kAdd, "sum", {y, y}, {});
  if (draw(0, 1)) y = graph.Emit(Op::kRelu, "relu", {y}, {});
  graph.AddOutput("y", y);
  return graph;
}

/// The steps that the CPU makes of it.
int64_t StepsOf(const Graph& graph, Arithmetic arithmetic) {
  return std::ssize(CompileFor(graph, llvm::RunnableMachines().front(), arithmetic).package.steps);
}

TEST(CpuLines, AreWhatTheGraphSays) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(60)); ++seed) {
    const Graph graph = RandomLines(seed);
    const llvm::Machine& machine = machines[seed / std::size(kLineOps) % machines.size()];
    EXPECT_EQ(Try(graph, machine, static_cast<uint32_t>(seed), nullptr, seed % 4 == 0), "")
        << "seed " << seed << ", " << machine.tune_cpu << " with " << machine.vector_bits
        << " bits\n"
        << Print(graph);
  }
}

/// A variance as the mean of squares less the square of the mean, which is there before the sum is
/// taken of what an accelerator made.
TEST(CpuLines, WhatIsReadBehindASumAloneIsMadeElsewhere) {
  Graph graph("variance");
  const ValueId mean = graph.AddInput("mean", {DType::kFloat32, {1}});
  const ValueId square = graph.Emit(Op::kMul, "square", {mean, mean}, {});
  ValueId x = graph.AddInput("x", {DType::kInt8, {1, 2, 1, 1, 1, 16}});
  x = Reals(graph, graph.Emit(Op::kUnpack, "plain", {x}, {{"shape", Shape{1, 32}}}));
  x = graph.Emit(Op::kReduceSum, "sum", {x}, {{"axes", Shape{1}}, {"keepdims", int64_t{0}}});
  graph.AddOutput("y", graph.Emit(Op::kSub, "variance", {x, square}, {}));
  EXPECT_EQ(Try(graph, llvm::RunnableMachines().front(), 1), "");
  std::string why;
  EXPECT_FALSE(CpuTarget().CanTake(graph, std::vector<NodeId>{0, 1, 2, 3, 4}, &why));
  EXPECT_EQ(why, "reads \"square\" behind a reduction");
}

/// A softmax along an axis that is not the last, of what may be made in its kernel.
TEST(CpuLines, ColumnsAreWhatTheGraphSays) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(40)); ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    Graph graph("columns");
    Shape shape(seed % 2 ? 3 : draw(1, 3));
    for (int64_t& size : shape) size = draw(1, 20);
    const int64_t axis = draw(0, std::ssize(shape) - 1);
    shape.push_back(draw(0, 1) ? draw(16, 200) : 64 * draw(1, 3));
    const ValueId x = InputOf(graph, shape, draw(0, 3));
    ValueId y = graph.Emit(Op::kSoftmax, "y", {x}, {{"axis", axis}});
    if (shape.size() == 4 && axis == 1 && draw(0, 3)) {
      Tensor weights({DType::kFloat32, {1, shape[1], 1, 1}});
      for (float& weight : weights.mutable_data<float>()) weight = static_cast<float>(draw(-8, 8));
      y = graph.Emit(Op::kConv2d, "distance", {y, graph.AddConstant("weights", std::move(weights))},
                     {{"strides", Shape{1, 1}},
                      {"pads", Shape{0, 0, 0, 0}},
                      {"dilations", Shape{1, 1}},
                      {"groups", int64_t{1}}});
      shape[1] = 1;
    }
    if (draw(0, 1)) y = graph.Emit(Op::kRelu, "relu", {y}, {});
    if (draw(0, 3) == 0) {
      Shape perm;
      for (size_t d = shape.size(); d-- > 0;) perm.push_back(static_cast<int64_t>(d));
      y = graph.Emit(Op::kTranspose, "turned", {y}, {{"perm", perm}});
    }
    graph.AddOutput("y", y);
    const llvm::Machine& machine = machines[seed % machines.size()];
    EXPECT_EQ(Try(graph, machine, static_cast<uint32_t>(seed), nullptr, seed % 4 == 0), "")
        << "seed " << seed << ", " << machine.tune_cpu << " with " << machine.vector_bits
        << " bits\n"
        << Print(graph);
  }
}

/// Codes leave blocks, become reals and codes again in the kernel of the lines that they make.
TEST(CpuLines, AreMadeInTheKernelThatReadsThem) {
  for (const Op op : {Op::kSoftmax, Op::kNormalize, Op::kReduceSum}) {
    Graph graph("lines");
    const ValueId x = InputOf(graph, {3, 40}, 3);
    ValueId y = op == Op::kSoftmax ? graph.Emit(op, "y", {x}, {{"axis", int64_t{1}}})
                : op == Op::kNormalize
                    ? graph.Emit(op, "y", {x},
                                 {{"axis", int64_t{1}}, {"centred", int64_t{1}}, {"epsilon", 1e-5}})
                    : graph.Emit(op, "y", {x}, {{"axes", Shape{1}}, {"keepdims", int64_t{1}}});
    graph.AddOutput("y", graph.Emit(Op::kRelu, "relu", {y}, {}));
    EXPECT_EQ(StepsOf(graph, Arithmetic::kFast), 1) << Print(graph);
    EXPECT_EQ(StepsOf(graph, Arithmetic::kExact), 2);
  }
  Graph graph("columns");
  const ValueId x = InputOf(graph, {3, 8, 40}, 3);
  const ValueId y = graph.Emit(Op::kSoftmax, "y", {x}, {{"axis", int64_t{1}}});
  graph.AddOutput("y", graph.Emit(Op::kRelu, "relu", {y}, {}));
  EXPECT_EQ(StepsOf(graph, Arithmetic::kFast), 1) << Print(graph);
  // As a detector's distances: a mean of places, weighted by a softmax.
  Graph mean("mean");
  const ValueId bins = InputOf(mean, {1, 16, 4, 40}, 3);
  const ValueId shares = mean.Emit(Op::kSoftmax, "shares", {bins}, {{"axis", int64_t{1}}});
  const ValueId places = mean.AddConstant(
      "places",
      Tensor::Of<float>({1, 16, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  mean.AddOutput("y", mean.Emit(Op::kConv2d, "distance", {shares, places},
                                {{"strides", Shape{1, 1}},
                                 {"pads", Shape{0, 0, 0, 0}},
                                 {"dilations", Shape{1, 1}},
                                 {"groups", int64_t{1}}}));
  EXPECT_EQ(StepsOf(mean, Arithmetic::kFast), 1) << Print(mean);
}

/// Sums of codes, whose lanes are int32.
TEST(CpuLines, OfCodesAreSummedUpInWholeNumbers) {
  Graph graph("lines");
  const ValueId x = graph.AddInput("x", {DType::kInt8, {5, 70}}),
                wide = graph.Emit(Op::kCast, "wide", {x}, {{"to", std::string("int32")}});
  graph.AddOutput(
      "y", graph.Emit(Op::kReduceSum, "y", {wide}, {{"axes", Shape{1}}, {"keepdims", int64_t{0}}}));
  EXPECT_EQ(StepsOf(graph, Arithmetic::kFast), 1);
  EXPECT_EQ(Try(graph, llvm::RunnableMachines().front(), 1, nullptr, true), "");
}

/// A kernel is made of lanes where it may sum in another order; --exact keeps to that of the graph.
TEST(CpuLines, KeepTheOrderWhereThatIsAsked) {
  const Graph graph = RandomLines(2);
  const std::vector<NodeId> nodes = Steps(graph).at(0).nodes;
  EXPECT_FALSE(Express(graph, nodes, Arithmetic::kFast).lines.in_lanes.empty());
  EXPECT_TRUE(Express(graph, nodes, Arithmetic::kExact).lines.in_lanes.empty());
}

}  // namespace
}  // namespace vta::compiler::targets
