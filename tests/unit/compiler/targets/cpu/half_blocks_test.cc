// Convolutions to no more than half a block of channels: half of its lanes are summed.
#include <gtest/gtest.h>

#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "compiler/loop/ir.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

/// A convolution to `channels`, what follows it element by element, and a reader of whole blocks.
class HalfBlocks {
 public:
  explicit HalfBlocks(uint64_t seed) : random_(seed), graph_("half") {}

  Graph Of(int64_t channels) {
    const ValueId x =
        graph_.AddInput("x", {DType::kFloat32, {Draw(1, 2), Draw(4, 40), Draw(3, 9), Draw(5, 40)}});
    ValueId y =
        Conv("y", graph_.Emit(Op::kRelu, "before", {x}, {}), channels, Draw(1, 2), Draw(2, 5));
    if (Draw(0, 1)) y = graph_.Emit(Op::kSigmoid, "sigmoid", {y}, {});  // of 0 it is not 0
    if (Draw(0, 1)) y = graph_.Emit(Op::kMul, "square", {y, y}, {});
    if (Draw(0, 1)) graph_.AddOutput("y", y);
    graph_.AddOutput("z", Conv("z", y, Draw(1, 20), 1, 1));
    return std::move(graph_);
  }

 private:
  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  ValueId Constant(const Shape& shape) {
    Tensor tensor({DType::kFloat32, shape});
    for (float& value : tensor.mutable_data<float>())
      value = static_cast<float>(Draw(-500, 500)) / 500;
    return graph_.AddConstant("c", std::move(tensor));
  }
  ValueId Conv(const char* name, ValueId x, int64_t out, int64_t rows, int64_t columns) {
    std::vector<ValueId> inputs = {x, Constant({out, graph_.shape(x)[1], rows, columns})};
    if (Draw(0, 1)) inputs.push_back(Constant({out}));
    return graph_.Emit(Op::kConv2d, name, inputs,
                       {{"strides", Shape{Draw(1, 2), Draw(1, 2)}},
                        {"dilations", Shape{1, Draw(1, 2)}},
                        {"pads", Shape{Draw(0, 1), columns - 1, 0, columns - 1}},
                        {"groups", int64_t{1}}});
  }

  std::mt19937_64 random_;
  Graph graph_;
};

TEST(CpuHalfBlocks, AreWhatTheGraphSays) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(15)); ++seed) {
    const Graph graph = HalfBlocks(seed).Of(4 + static_cast<int64_t>(seed) % 5);
    RandomChooser chooser(seed);
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed),
                  seed % 3 == 0 ? &chooser : nullptr, seed % 8 == 0),
              "")
        << "seed " << seed << "\n"
        << Print(graph);
  }
}

TEST(CpuHalfBlocks, AreThoseOfEightChannelsAndFewer) {
  for (const int64_t channels : {4, 8, 9, 24}) {
    const CompileResult compiled =
        CompileFor(HalfBlocks(1).Of(channels), llvm::RunnableMachines()[0]);
    const std::string sums = loop::Print(compiled.kernels.at(1));  // "before" is the first
    EXPECT_EQ(sums.find(", 8] @local") != sums.npos, channels <= 8) << sums;
  }
}

}  // namespace
}  // namespace vta::compiler::targets
