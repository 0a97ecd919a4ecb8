// Windows by Winograd's way, and the spaces of kernels.
#include "compiler/targets/cpu/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>

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
    const auto dilation = [&](size_t axis) {
      return draw(0, 1) ? 1 : std::min(draw(1, 4), (graph.shape(x)[axis] - 1) / 2);
    };
    x = graph.Emit(Op::kConv2d, StrCat("conv", layer), inputs,
                   {{"strides", Shape{1, 1}},
                    {"dilations", Shape{dilation(2), dilation(3)}},
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

/// A convolution of 3x3 windows over a plane, or a square.
Graph Windows(int64_t channels, int64_t size, int64_t columns = 0, int64_t dilation = 1) {
  Graph graph("windows");
  const ValueId x =
      graph.AddInput("x", {DType::kFloat32, {1, channels, size, columns ? columns : size}});
  Tensor weights({DType::kFloat32, {channels, channels, 3, 3}});
  std::mt19937 random(1);
  for (float& weight : weights.mutable_data<float>())
    weight = static_cast<float>(random() % 17) / 8 - 1;
  const ValueId w = graph.AddConstant("w", std::move(weights));
  graph.AddOutput("y", graph.Emit(Op::kConv2d, "conv", {x, w},
                                  {{"strides", Shape{1, 1}},
                                   {"dilations", Shape{dilation, 1}},
                                   {"pads", Shape{dilation, 1, dilation, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

/// Planes of networks for sound: of a height that no tiles fill, or whose taps lie apart.
TEST(CpuSpace, TallPlanesAndTapsThatLieApartAreTiledToo) {
  const llvm::Machine machine = llvm::RunnableMachines().front();
  for (const auto& [rows, columns, dilation] :
       std::vector<std::array<int64_t, 3>>{{301, 16, 1}, {90, 29, 2}, {47, 24, 3}}) {
    const Graph graph = Windows(32, rows, columns, dilation);
    EXPECT_EQ(WinogradSteps(CompileFor(graph, machine).package), 1) << rows << " " << dilation;
    EXPECT_EQ(Try(graph, machine, 1, nullptr, false), "") << rows << " " << dilation;
  }
  // Of less than a tile there are none.
  for (const auto& [rows, columns, dilation] :
       std::vector<std::array<int64_t, 3>>{{64, 3, 1}, {3, 64, 1}, {21, 21, 6}}) {
    const Graph graph = Windows(64, rows, columns, dilation);
    EXPECT_EQ(WinogradSteps(CompileFor(graph, machine).package), 0) << rows << " " << dilation;
    EXPECT_EQ(Try(graph, machine, 1, nullptr, false), "") << rows << " " << dilation;
  }
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

/// Looks at the spaces of convolutions.
class LookingChooser : public tune::Chooser {
 public:
  explicit LookingChooser(std::function<void(const tune::Space&)> look) : look_(std::move(look)) {}
  std::vector<tune::Offer> Choose(const std::string&, int64_t macs,
                                  const tune::Space& space) override {
    if (macs > 0) look_(space);
    return {{space.Cheapest(1)[0]}};
  }

 private:
  const std::function<void(const tune::Space&)> look_;
};

/// Values of a point by their names.
std::map<std::string, int64_t> Named(const tune::Space& space, const tune::Point& point) {
  std::map<std::string, int64_t> named;
  for (size_t i = 0; i < point.size(); ++i) named[space.Choices()[i].name] = point[i];
  return named;
}

/// Of the table of CPUs, whatever runs the test.
llvm::Machine MachineOf(const char* name, int64_t vector_bits) {
  const lower::CpuSpec cpu = lower::FindCpu(name);
  return {"x86_64-unknown-linux-gnu", cpu.tune, cpu.features, vector_bits};
}

/// Of the plan that a CPU takes for a convolution, and the fewest of the points of its space.
using Tasks = std::pair<int64_t, int64_t>;

Tasks TasksFor(const Graph& graph, int64_t threads) {
  Tasks tasks{0, INT64_MAX};
  LookingChooser chooser([&](const tune::Space& space) {
    const Shape& out = graph.shape(graph.nodes()[0].output);
    for (const tune::Point& point : space.Cheapest(INT64_MAX)) {
      auto at = Named(space, point);
      const int64_t count = at.contains("parts")
                                ? at["parts"] * ((out[2] + 3) / 4 / at["task_rows"])
                                : out[1] / 16 / at["group"] * (out[2] / at["task_rows"]);
      if (tasks.first == 0) tasks.first = count;
      tasks.second = std::min(tasks.second, count);
    }
  });
  CompileFor(graph, MachineOf("x86-64-v4", 512), Arithmetic::kFast, &chooser, threads);
  return tasks;
}

TEST(CpuSpace, IsOfSomeThreads) {
  const Graph by_winograd = Windows(128, 28);
  EXPECT_EQ(TasksFor(by_winograd, 1), Tasks(1, 1));
  EXPECT_EQ(TasksFor(by_winograd, 2), Tasks(2, 2));
  EXPECT_EQ(TasksFor(by_winograd, 4), Tasks(4, 4));
  // The rule cuts these for some threads whatever is known of them.
  const Graph in_order = Windows(512, 7);
  EXPECT_EQ(TasksFor(in_order, 1), Tasks(16, 4));
  EXPECT_EQ(TasksFor(in_order, 4), Tasks(16, 4));
  EXPECT_EQ(TasksFor(in_order, 100), Tasks(16, 4));
}

/// Rows that nothing divides are no reason for one task: blocks are parted then.
TEST(CpuSpace, FewColumnsOfAPrimeNumberOfRows) {
  const auto tasks = [](int64_t height, int64_t threads) {
    Graph graph("prime");
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 108, height, 1}});
    const ValueId w = graph.AddConstant("w", Tensor({DType::kFloat32, {32, 108, 3, 1}}));
    graph.AddOutput("y", graph.Emit(Op::kConv2d, "conv", {x, w},
                                    {{"strides", Shape{1, 1}},
                                     {"dilations", Shape{1, 1}},
                                     {"pads", Shape{1, 0, 1, 0}},
                                     {"groups", int64_t{1}}}));
    const CompileResult compiled =
        CompileFor(graph, MachineOf("x86-64-v4", 512), Arithmetic::kExact, nullptr, threads);
    return std::ranges::find_if(compiled.package.kernels,
                                [](const auto& kernel) { return kernel.name.starts_with("conv"); })
        ->tasks;
  };
  EXPECT_EQ(tasks(59, 1), 1);
  EXPECT_GE(tasks(59, 2), 2);
  EXPECT_GE(tasks(118, 2), 2);
  EXPECT_EQ(tasks(3, 2), 1);  // too little to do
}

/// Planes whose rows are too short for a tile, whatever the registers: tasks are of several rows.
TEST(CpuSpace, FewColumns) {
  const llvm::Machine machines[] = {MachineOf("x86-64", 128),
                                    MachineOf("x86-64-v3", 256),
                                    MachineOf("x86-64-v4", 512),
                                    {"aarch64-unknown-linux-gnu", "cortex-a76", {"dotprod"}, 128}};
  int64_t several = 0;
  for (uint64_t seed = 0; seed < static_cast<uint64_t>(Trials(120)); ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    const int64_t channels = 16 * draw(1, 3), height = draw(3, 50), kind = draw(0, 2),
                  width = draw(1, 6), kernel = draw(0, 1) ? 3 : 1;
    Graph graph("columns");
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, channels, height, width}});
    const Shape sides{1, kernel / 2, 1, kernel / 2};
    if (kind == 2) {
      graph.AddOutput("y", graph.Emit(Op::kMaxPool, "pool", {x},
                                      {{"kernel", Shape{3, kernel}},
                                       {"strides", Shape{1, 1}},
                                       {"dilations", Shape{1, 1}},
                                       {"pads", sides}}));
    } else {
      const Shape shape{channels, kind == 0 ? channels : 1, 3, kernel};
      const ValueId w = graph.AddConstant("w", Tensor({DType::kFloat32, shape}));
      graph.AddOutput("y", graph.Emit(Op::kConv2d, "conv", {x, w},
                                      {{"strides", Shape{1, 1}},
                                       {"dilations", Shape{1, 1}},
                                       {"pads", sides},
                                       {"groups", kind == 0 ? int64_t{1} : channels}}));
    }
    LookingChooser chooser([&](const tune::Space& space) {
      const tune::Point rule = space.Cheapest(1)[0];
      EXPECT_TRUE(space.Has(rule)) << tune::Print(space.Choices(), rule);
      several += Named(space, rule)["task_rows"] > 1;
    });
    const llvm::Machine& machine = machines[seed % std::size(machines)];
    const Arithmetic arithmetic = draw(0, 1) ? Arithmetic::kFast : Arithmetic::kExact;
    EXPECT_NO_THROW(CompileFor(graph, machine, arithmetic, &chooser, draw(0, 1) ? 1 : 16))
        << "seed " << seed << "\n"
        << Print(graph);
  }
  EXPECT_GE(several, Trials(120) / 4);
}

TEST(CpuSpace, ComputesTheSameForAnyThreads) {
  const std::vector<llvm::Machine> machines = llvm::RunnableMachines();
  const auto outputs_for = [&](const Graph& graph, int64_t threads) {
    const CompileResult compiled =
        CompileFor(graph, machines.back(), Arithmetic::kFast, nullptr, threads);
    const std::vector<Tensor> inputs = RandomInputs(graph, 1);
    std::vector<std::span<const uint8_t>> bytes;
    for (const Tensor& input : inputs) bytes.push_back(input.bytes());
    runtime::Session session(
        std::make_shared<runtime::Model>(compiled.package, "windows", runtime::ModelOptions{}),
        nullptr);
    return runtime::Infer(session, bytes);
  };
  const Graph graph = Windows(128, 28);
  const auto output = outputs_for(graph, 1);
  EXPECT_EQ(output, outputs_for(graph, 4));
  EXPECT_GT(std::ranges::count_if(output[0], [](uint8_t byte) { return byte != 0; }), 1000);
}

/// Inputs stay in registers for other taps where no weight does for other columns.
TEST(CpuSpace, WhatSharesNothingTakesHalfOfTheRegisters) {
  Graph graph("depthwise");
  const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 32, 56, 56}});
  const ValueId w = graph.AddConstant("w", Tensor({DType::kFloat32, {32, 1, 3, 3}}));
  graph.AddOutput("y", graph.Emit(Op::kConv2d, "conv", {x, w},
                                  {{"strides", Shape{1, 1}},
                                   {"dilations", Shape{1, 1}},
                                   {"pads", Shape{1, 1, 1, 1}},
                                   {"groups", int64_t{32}}}));
  const auto columns = [&](const char* cpu, int64_t vector_bits) {
    int64_t found = 0;
    LookingChooser chooser(
        [&](const tune::Space& space) { found = Named(space, space.Cheapest(1)[0])["columns"]; });
    CompileFor(graph, MachineOf(cpu, vector_bits), Arithmetic::kFast, &chooser);
    return found;
  };
  EXPECT_EQ(columns("x86-64", 128), 2);      // four vectors a column
  EXPECT_EQ(columns("x86-64-v3", 256), 4);   // two
  EXPECT_EQ(columns("x86-64-v4", 512), 14);  // four tiles of 56: 16 would leave 8
}

/// A kernel's text, whatever it is called.
std::string TextOf(const loop::Function& kernel) {
  const std::string text = loop::Print(kernel);
  return text.substr(text.find('('));
}

TEST(CpuSpace, TheFirstIsTheRule) {
  const llvm::Machine machine = MachineOf("x86-64-v3", 256);
  int64_t spaces = 0;
  for (const Graph& graph : {RandomWindows(3), Windows(64, 130)})
    for (const Arithmetic arithmetic : {Arithmetic::kFast, Arithmetic::kExact}) {
      std::set<std::string> rules;
      for (const loop::Function& kernel : CompileFor(graph, machine, arithmetic).kernels)
        rules.insert(TextOf(kernel));
      LookingChooser chooser([&](const tune::Space& space) {
        ++spaces;
        const std::vector<tune::Point> points = space.Cheapest(40);
        EXPECT_GT(points.size(), 4);
        for (size_t i = 0; i < points.size(); ++i) {
          EXPECT_TRUE(space.Has(points[i])) << tune::Print(space.Choices(), points[i]);
          EXPECT_GT(space.Estimate(points[i]), 0);
          if (i > 1) {
            EXPECT_LE(space.Estimate(points[i - 1]), space.Estimate(points[i]));
          }
          EXPECT_EQ(std::ranges::count(points, points[i]), 1);
          EXPECT_EQ(tune::ParsePoint(space.Choices(), tune::Print(space.Choices(), points[i])),
                    points[i]);
          const tune::Trial trial = space.Try(points[i]);
          EXPECT_EQ(rules.contains(TextOf(std::get<KernelCode>(trial.code).functions.at(0))),
                    i == 0)
              << tune::Print(space.Choices(), points[i]);
        }
      });
      CompileFor(graph, machine, arithmetic, &chooser);
    }
  EXPECT_GE(spaces, 4);
}

TEST(CpuSpace, IsOfOneCpu) {
  const Graph graph = Windows(64, 28);
  const auto spaces_for = [&](const std::vector<lower::CpuSpec>& cpus) {
    int64_t spaces = 0;
    LookingChooser chooser([&](const tune::Space&) { ++spaces; });
    const CpuTarget cpu(cpus);
    const CodeTarget* const targets[] = {&cpu};
    Compile(graph, {.targets = targets,
                    .choosers = {{"cpu", &chooser}},
                    .cpus = cpus,
                    .build_module = [](std::span<const lower::Kernel> kernels,
                                       const lower::CpuSpec& spec, bool) {
                      return ModuleCode{llvm::BuildModule(kernels, {"x86_64-unknown-linux-gnu",
                                                                    spec.tune, spec.features, 128}),
                                        {}};
                    }});
    return spaces;
  };
  EXPECT_EQ(spaces_for({lower::FindCpu("x86-64-v3")}), 1);
  EXPECT_EQ(spaces_for({lower::FindCpu("x86-64"), lower::FindCpu("x86-64-v3")}), 0);
}

}  // namespace
}  // namespace vta::compiler::targets
