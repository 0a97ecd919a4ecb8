#include "compiler/graph/memory_plan.h"

#include <gmock/gmock.h>

#include <chrono>
#include <random>

#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

constexpr DType kF32 = DType::kFloat32;

// x -> a -> b -> c -> y, each 100 floats: two places suffice, a third for the output that lives on.
Graph Chain() {
  Graph graph("chain");
  ValueId v = graph.AddInput("x", {kF32, {100}});
  for (const char* name : {"a", "b", "c", "y"}) v = graph.Emit(Op::kRelu, name, {v}, {});
  graph.AddOutput("out", v);
  return graph;
}

TEST(InterfacesTest, OnlyWhatCrossesStepsIsListed) {
  Graph graph("g");
  const ValueId x = graph.AddInput("x", {kF32, {4}});
  const ValueId a = graph.Emit(Op::kRelu, "a", {x}, {});
  const ValueId b = graph.Emit(Op::kRelu, "b", {a}, {});
  const ValueId c = graph.Emit(Op::kConcat, "c", {x, x, b, a}, {{"axis", int64_t{0}}});
  graph.AddOutput("out", b);
  graph.AddOutput("also", c);
  const std::vector<Step> steps = {{{0, 1}, "t"}, {{2}, "t"}};
  const auto interfaces = Interfaces(graph, steps);
  ASSERT_EQ(interfaces.size(), 2u);
  EXPECT_EQ(interfaces[0].inputs, std::vector{x});
  EXPECT_EQ(interfaces[0].outputs, (std::vector{a, b}));
  EXPECT_EQ(interfaces[1].inputs, (std::vector{x, b, a}));
  EXPECT_EQ(interfaces[1].outputs, std::vector{c});
}

// Each step alone used to look through the whole graph: minutes, here.
TEST(InterfacesTest, LongGraphsTakeTimeInProportion) {
  Graph graph("long");
  ValueId v = graph.AddInput("x", {kF32, {4}});
  for (int i = 0; i < 30000; ++i) v = graph.Emit(Op::kRelu, "n", {v}, {});
  graph.AddOutput("out", v);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Interfaces(graph, Steps(graph)).size(), 30000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(MemoryPlanTest, AChainNeedsTwoPlaces) {
  const Graph graph = Chain();
  const auto steps = Steps(graph);
  const MemoryPlan plan = PlanMemory(graph, steps, 64);
  EXPECT_EQ(plan.arena_bytes, 2 * 448);  // 400 bytes rounded up to 64
  EXPECT_EQ(plan.tensor_bytes, 5 * 448);
  EXPECT_EQ(plan.tensors.front().first, -1);
  EXPECT_EQ(plan.tensors.back().last, 4);
}

TEST(MemoryPlanTest, RandomGraphsKeepLiveTensorsApart) {
  std::mt19937 random(5);
  for (int n = 0; n < 200; ++n) {
    Graph graph("random");
    std::vector<ValueId> values = {graph.AddInput("x", {kF32, {24}})};
    for (int i = 0; i < 30; ++i) {
      const ValueId a = values[random() % values.size()];
      const int64_t copies = 1 + random() % 3;
      values.push_back(
          graph.Emit(Op::kConcat, "n", std::vector<ValueId>(copies, a), {{"axis", int64_t{0}}}));
      if (graph.shape(values.back())[0] > 5000) values.pop_back();
    }
    for (int i = 0; i < 3; ++i) graph.AddOutput(StrCat("y", i), values[random() % values.size()]);
    const auto steps = Steps(graph);
    const MemoryPlan plan = PlanMemory(graph, steps, 16);
    EXPECT_LE(plan.arena_bytes, plan.tensor_bytes);
    // Naively: any two whose lifetimes meet lie apart.
    for (const PlannedTensor& a : plan.tensors)
      for (const PlannedTensor& b : plan.tensors)
        if (a.value < b.value && a.first <= b.last && b.first <= a.last) {
          ASSERT_TRUE(a.offset_bytes + a.size_bytes <= b.offset_bytes ||
                      b.offset_bytes + b.size_bytes <= a.offset_bytes);
        }
  }
}

TEST(MemoryPlanTest, TheCheckerNamesEachMistake) {
  const Graph graph = Chain();
  const auto steps = Steps(graph);
  const MemoryPlan good = PlanMemory(graph, steps, 64);
  const auto expect = [&](auto change, const std::string& message) {
    MemoryPlan plan = good;
    change(plan);
    EXPECT_THAT([&] { CheckMemoryPlan(graph, steps, 64, plan); },
                testing::ThrowsMessage<Error>(message));
  };
  expect([](MemoryPlan& p) { p.tensors[1].offset_bytes = p.tensors[0].offset_bytes; },
         "chain: memory plan: a = bytes 0 to 400: overlaps x, alive at step 0 too");
  expect([](MemoryPlan& p) { p.tensors.erase(p.tensors.begin() + 2); },
         "chain: memory plan: b = no place: must have one");
  expect([](MemoryPlan& p) { p.tensors[0].offset_bytes = 32; },
         "chain: memory plan: x = offset 32: must be a multiple of 64");
  expect([](MemoryPlan& p) { p.arena_bytes = 500; },
         "chain: memory plan: a = ends at 848: must end inside the arena of 500");
  expect([](MemoryPlan& p) { p.tensors[3].size_bytes = 4; },
         "chain: memory plan: c = 4 bytes: needs 400");
}

}  // namespace
}  // namespace vta::compiler
