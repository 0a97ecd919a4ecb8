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

/// One of them, and up to two ops behind it.
Graph RandomLines(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Graph graph("lines");
  Shape shape(draw(1, 3));
  for (int64_t& size : shape) size = draw(1, 5);
  shape.push_back(draw(0, 2) ? draw(20, 100) : 16 * draw(2, 6));
  const ValueId x = graph.AddInput("x", {DType::kFloat32, shape});
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

/// A kernel is made of lanes where it may sum in another order; --exact keeps to that of the graph.
TEST(CpuLines, KeepTheOrderWhereThatIsAsked) {
  const Graph graph = RandomLines(2);
  const std::vector<NodeId> nodes = Steps(graph).at(0).nodes;
  EXPECT_FALSE(Express(graph, nodes, Arithmetic::kFast).lines.in_lanes.empty());
  EXPECT_TRUE(Express(graph, nodes, Arithmetic::kExact).lines.in_lanes.empty());
}

}  // namespace
}  // namespace vta::compiler::targets
