// Windows by Winograd's way, and the spaces of kernels.
#include "compiler/targets/cpu/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/graph/ops.h"
#include "compiler/graph/schedule.h"
#include "compiler/graph/text.h"
#include "compiler/lower/cpu.h"
#include "compiler/targets/cpu/winograd.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {
namespace {

/// Steps that a package computes by Winograd's way.
int64_t WinogradSteps(const isa::Package& package) {
  return std::ranges::count_if(package.steps, [](const isa::PackageStep& step) {
    return step.facts.why.find("Winograd") != std::string::npos;
  });
}

/// A convolution of 3x3 windows, or two that follow each other, and what is done to its results.
Graph RandomWindows(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  Graph graph("windows");
  const auto constant = [&](const Shape& shape) {
    Tensor tensor({DType::kFloat32, shape});
    for (float& value : tensor.mutable_data<float>())
      value = static_cast<float>(draw(-1000, 1000)) / 1000;
    return graph.AddConstant(StrCat("c", graph.values().size()), std::move(tensor));
  };
  const int64_t channels = 16 * draw(1, 4);
  ValueId x =
      graph.AddInput("x", {DType::kFloat32, {draw(1, 2), channels, draw(5, 20), draw(5, 24)}});
  x = graph.Emit(Op::kRelu, "before", {x}, {});
  for (int64_t layer = draw(1, 2); layer > 0; --layer) {
    std::vector<ValueId> inputs = {
        x, constant({layer == 2 ? 16 * draw(1, 4) : draw(16, 70), graph.shape(x)[1], 3, 3})};
    if (draw(0, 2)) inputs.push_back(constant({graph.shape(inputs[1])[0]}));
    x = graph.Emit(Op::kConv2d, StrCat("conv", layer), inputs,
                   {{"strides", Shape{1, 1}},
                    {"dilations", Shape{1, 1}},
                    {"pads", Shape{draw(0, 2), draw(0, 2), draw(0, 2), draw(0, 2)}},
                    {"groups", int64_t{1}}});
    if (draw(0, 1)) x = graph.Emit(Op::kRelu, StrCat("relu", layer), {x}, {});
    if (draw(0, 1)) {
      const ValueId z = graph.AddInput(StrCat("z", layer), graph.type(x));
      x = graph.Emit(Op::kAdd, StrCat("sum", layer), {z, x}, {});
    }
  }
  graph.AddOutput("y", x);
  return graph;
}

TEST(CpuSpace, WindowsByWinogradsWay) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  int64_t steps = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(24)); ++seed) {
    const Graph graph = RandomWindows(seed);
    const llvm::Machine& machine = machines[seed % machines.size()];
    EXPECT_EQ(Try(graph, machine, static_cast<uint32_t>(seed), nullptr, seed % 10 == 0), "")
        << "seed " << seed << ", " << machine.tune_cpu << " with " << machine.vector_bits
        << " bits\n"
        << Print(graph);
    steps += WinogradSteps(CompileFor(graph, machine).package);
    EXPECT_EQ(WinogradSteps(CompileFor(graph, machine, Arithmetic::kExact).package), 0);
  }
  EXPECT_GE(steps, Trials(24) / 8);
}

TEST(CpuSpace, AnyPointComputesTheSame) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  RandomChooser chooser(8);
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(20)); ++seed) {
    const Graph graph = RandomWindows(100 + seed);
    EXPECT_EQ(
        Try(graph, machines[seed % machines.size()], static_cast<uint32_t>(seed), &chooser, false),
        "")
        << "seed " << seed << "\n"
        << Print(graph);
  }
  EXPECT_GE(chooser.chosen(), Trials(20));
}

/// A convolution of 3x3 windows over a square.
Graph Windows(int64_t channels, int64_t size) {
  Graph graph("windows");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, channels, size, size}});
  const ValueId w = graph.AddConstant("w", Tensor({DType::kFloat32, {channels, channels, 3, 3}}));
  graph.AddOutput("y", graph.Emit(Op::kConv2d, "conv", {x, w},
                                  {{"strides", Shape{1, 1}},
                                   {"dilations", Shape{1, 1}},
                                   {"pads", Shape{1, 1, 1, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

/// Tasks are those of every CPU of a compile, and enough for some threads.
TEST(CpuSpace, WinogradHasTheSameTasksOnAllCpus) {
  for (const int64_t channels : {32, 64, 128, 256})
    for (const int64_t size : {7, 14, 28, 56, 112, 130}) {
      const Graph graph = Windows(channels, size);
      const Node& conv = graph.nodes()[0];
      const WinogradPlan widest = PlanOfWinograd(graph, conv, kWidest);
      EXPECT_GE((size + 3) / 4 / widest.rows * widest.parts, std::min<int64_t>(4, channels / 16));
      for (const Registers& registers : {Registers{32, 16}, Registers{16, 16}, Registers{16, 32}}) {
        const WinogradPlan plan = PlanOfWinograd(graph, conv, registers);
        EXPECT_EQ(plan.rows, widest.rows) << channels << " " << size;
        EXPECT_EQ(plan.parts, widest.parts) << channels << " " << size;
        EXPECT_TRUE(HasWinograd(graph, conv, plan, registers)) << channels << " " << size;
      }
    }
}

TEST(CpuSpace, TheFirstIsTheRule) {
  for (const Graph& graph : {RandomWindows(3), Windows(64, 130)})
    for (const Arithmetic arithmetic : {Arithmetic::kFast, Arithmetic::kExact}) {
      const CpuTarget cpu({lower::FindCpu("x86-64-v3")}, arithmetic);
      for (const Step& step : Steps(graph)) {
        const auto space = cpu.SpaceOf(graph, step);
        if (!space) continue;
        const std::vector<tune::Point> points = space->Cheapest(40);
        EXPECT_GT(points.size(), 4);
        for (size_t i = 0; i < points.size(); ++i) {
          EXPECT_TRUE(space->Has(points[i])) << tune::Print(space->Choices(), points[i]);
          EXPECT_GT(space->Estimate(points[i]), 0);
          if (i > 1) {
            EXPECT_LE(space->Estimate(points[i - 1]), space->Estimate(points[i]));
          }
          EXPECT_EQ(std::ranges::count(points, points[i]), 1);
          EXPECT_EQ(tune::ParsePoint(space->Choices(), tune::Print(space->Choices(), points[i])),
                    points[i]);
        }
        const auto printed = [](const StepCode& code) {
          return loop::Print(std::get<KernelCode>(code).functions.at(0));
        };
        EXPECT_EQ(printed(space->Try(points[0]).code), printed(cpu.Compile(graph, step, {}, {})));
        EXPECT_NE(printed(space->Try(points[1]).code), printed(cpu.Compile(graph, step, {}, {})));
      }
    }
  // Kernels for several CPUs have one way, and so have those without sums.
  const Graph graph = Windows(64, 28);
  EXPECT_EQ(CpuTarget({lower::FindCpu("x86-64"), lower::FindCpu("x86-64-v3")})
                .SpaceOf(graph, Steps(graph).back()),
            nullptr);
}

}  // namespace
}  // namespace vta::compiler::targets
