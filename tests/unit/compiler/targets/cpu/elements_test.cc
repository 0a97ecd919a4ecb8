// What is moved or computed element by element: tiles, planes of few channels, tasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/text.h"
#include "runtime/elf/module.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

/// Row by row: transposed in tiles, and shared out where there is enough of it.
TEST(CpuElements, TransposesAndLongRowsAreComputedInTasks) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  std::mt19937_64 random(3);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(16)); ++seed) {
    Graph graph("transpose");
    Shape perm = seed % 2 ? Shape{1, 2, 0} : Shape{2, 0, 1};
    if (seed % 4 == 3) std::swap(perm[0], perm[1]);
    Shape shape(3);
    for (int64_t& size : shape) size = 10 + static_cast<int64_t>(random() % 50);
    const ValueId x = graph.AddInput("x", {DType::kFloat32, shape});
    const ValueId t = graph.Emit(Op::kTranspose, "t", {x}, {{"perm", perm}});
    const ValueId z = graph.AddInput("z", {DType::kFloat32, {40'000 + 1000 * shape[0]}});
    graph.AddOutput("t", t);
    graph.AddOutput("y", graph.Emit(Op::kRelu, "y", {z}, {}));
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), nullptr,
                  seed % 8 == 0),
              "")
        << Print(graph);
    const CompileResult compiled = CompileFor(graph, machines[0]);
    EXPECT_TRUE(std::ranges::any_of(compiled.package.kernels,
                                    [](const auto& kernel) { return kernel.tasks > 1; }));
  }
}

/// Pictures whose channels lie side by side, as what is read row by row and as a window wants them.
TEST(CpuElements, FewChannelsSideBySideBecomePlanes) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  std::mt19937_64 random(7);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(32)); ++seed) {
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    const int64_t samples = draw(1, 2), channels = draw(1, 5), height = draw(1, 40),
                  width = draw(3, 70);
    Graph graph("planes");
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {samples, height, width, channels}});
    const ValueId t = graph.Emit(Op::kTranspose, "t", {x}, {{"perm", Shape{0, 3, 1, 2}}});
    if (seed % 2 == 0) {
      graph.AddOutput("t", t);
    } else {
      Tensor weights({DType::kFloat32, {16, channels, 3, 3}});
      for (float& weight : weights.mutable_data<float>())
        weight = static_cast<float>(draw(-100, 100)) / 64;
      const ValueId w = graph.AddConstant("w", std::move(weights));
      graph.AddOutput("y", graph.Emit(Op::kConv2d, "y", {t, w},
                                      {{"strides", Shape{draw(1, 2), draw(1, 2)}},
                                       {"dilations", Shape{1, 1}},
                                       {"pads", Shape{1, draw(0, 2), 1, draw(0, 2)}},
                                       {"groups", int64_t{1}}}));
    }
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), nullptr,
                  seed % 8 < 2),
              "")
        << Print(graph);
  }
}

/// Corners and sizes of boxes: parts of a tensor, what is made of them, and that side by side.
TEST(CpuElements, FewPartsSideBySideAreOneKernel) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  std::mt19937_64 random(11);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(24)); ++seed) {
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    const int64_t axis = draw(0, 2);
    Shape half{draw(1, 3), draw(1, 5), draw(1, 40)}, whole = half, other = half;
    whole[static_cast<size_t>(axis)] *= 2;
    other[static_cast<size_t>(axis)] = draw(1, 3);
    Graph graph("boxes");
    const ValueId x = graph.AddInput("x", {DType::kFloat32, whole}),
                  anchors = graph.AddInput("anchors", {DType::kFloat32, half}),
                  more = graph.AddInput("more", {DType::kFloat32, other});
    const auto part = [&](int64_t first) {
      Shape starts(3, 0);
      starts[static_cast<size_t>(axis)] = first;
      return graph.Emit(Op::kSlice, "part", {x},
                        {{"starts", starts}, {"steps", Shape{1, 1, 1}}, {"shape", half}});
    };
    const auto emit = [&](Op op, ValueId a, ValueId b) {
      return graph.Emit(op, "each", {a, b}, {});
    };
    const ValueId before = emit(Op::kSub, anchors, part(0)),
                  behind = emit(Op::kAdd, anchors, part(half[static_cast<size_t>(axis)])),
                  sum = emit(Op::kAdd, before, behind), extent = emit(Op::kSub, behind, before);
    std::vector<ValueId> parts{sum, extent};
    if (draw(0, 1)) parts.insert(parts.begin() + draw(0, 2), more);
    const ValueId box = graph.Emit(Op::kConcat, "box", parts, {{"axis", axis}});
    graph.AddOutput("y", graph.Emit(Op::kRelu, "y", {box}, {}));
    EXPECT_EQ(Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), nullptr,
                  seed % 4 == 0),
              "")
        << Print(graph);
    EXPECT_EQ(CompileFor(graph, machines[0]).package.kernels.size(), 1) << Print(graph);
  }
}

/// What is joined and then moved has other axes, of codes and in blocks as well.
TEST(CpuElements, FewPartsSideBySideThatAreMovedOn) {
  const Graph moved = Parse(R"(%x : int8[1,40,3] = input
%z : float32[1,8,3] = input
%scale : float32[] = const [0.5]
%zero : int8[] = const [3]
%r : float32[1,40,3] = dequantize(%x, %scale, %zero) {axis=0} "r"
%c : float32[1,48,3] = concat(%r, %z) {axis=1} "c"
%y : float32[1,3,48] = transpose(%c) {perm=[0,2,1]} "y"
output "y" = %y
)");
  const Graph blocks = Parse(R"(%x : float32[1,20,4,6] = input
%w : float32[16,20,1,1] = input
%b : float32[1,10,4,6] = slice(%x) {shape=[1,10,4,6], starts=[0,0,0,0], steps=[1,1,1,1]} "b"
%e : float32[1,10,4,6] = slice(%x) {shape=[1,10,4,6], starts=[0,10,0,0], steps=[1,1,1,1]} "e"
%s : float32[1,10,4,6] = add(%b, %e) "s"
%d : float32[1,10,4,6] = sub(%e, %b) "d"
%c : float32[1,20,4,6] = concat(%s, %d) {axis=1} "c"
%k : float32[1,20,4,6] = relu(%c) "k"
%y : float32[1,16,4,6] = conv2d(%k, %w) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "y"
output "y" = %y
)");
  for (const llvm::Machine& machine : llvm::RunnableMachines())
    for (const Graph* graph : {&moved, &blocks})
      EXPECT_EQ(Try(*graph, machine, 1, nullptr, true), "") << Print(*graph);
}

/// Threads that share elements of rows have rows of all channels, as of convolutions.
TEST(CpuElements, TasksOfElementsGoByPartsOfRows) {
  constexpr int64_t kChannels = 8, kRows = 72, kColumns = 64;
  Graph graph("rows");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, kChannels, kRows, kColumns}});
  graph.AddOutput("y", graph.Emit(Op::kRelu, "y", {x}, {}));
  const isa::Package package = CompileFor(graph, llvm::RunnableMachines()[0]).package;
  ASSERT_EQ(package.kernels.size(), 1);
  const runtime::ElfModule module(package.modules.at(0), package.kernels, "rows");
  std::vector<float> in(kChannels * kRows * kColumns, 1), out(in.size());
  void* tensors[] = {in.data(), out.data()};
  module.Run(0, tensors, nullptr, 0, package.kernels[0].tasks / 2);
  for (size_t i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i] != 0, static_cast<int64_t>(i) / kColumns % kRows < kRows / 2) << i;
}

}  // namespace
}  // namespace vta::compiler::targets
