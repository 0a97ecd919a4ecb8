// Targets with memory of their own beside others: who takes what, what is left to the next one, and
// copies at borders.
#include <gmock/gmock.h>

#include "compiler/graph/memory_plan.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/own_memory.h"
#include "tests/unit/compiler/graph/pass_testing.h"

namespace vta::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Takes all but one op, node by node.
class FakeGpu : public RestTarget {
 public:
  explicit FakeGpu(Op refused = Op::kUnpack) : refused_(refused) {}
  std::string Name() const override { return "gpu"; }
  bool CanTake(const Graph& graph, std::span<const NodeId> group, std::string* why) const override {
    if (group.size() == 1 && graph.nodes()[group[0]].op != refused_) return true;
    if (why) *why = "refused";
    return false;
  }
  bool HasOwnMemory() const override { return true; }

 private:
  Op refused_;
};
const FakeGpu kGpu;
const Target* const kGpuFirst[] = {&kGpu};

/// "%NAME : float32[1,SIZE] = OP(%OF) "NAME"", SIZE the same everywhere.
std::string Line(const std::string& name, const std::string& op, const std::string& of) {
  return "%" + name + " : float32[1,SIZE] = " + op + "(%" + of + ") \"" + name + "\"\n";
}
Graph Sized(std::string body, int64_t size) {
  for (size_t at; (at = body.find("SIZE")) != body.npos;) body.replace(at, 4, std::to_string(size));
  return Parse(body);
}
/// x -> a -> b -> c -> y.
Graph Chain(int64_t size) {
  return Sized("%x : float32[1,SIZE] = input\n" + Line("a", "relu", "x") + Line("b", "exp", "a") +
                   Line("c", "abs", "b") + Line("y", "relu", "c") + "output \"y\" = %y\n",
               size);
}

/// Names, targets and reasons, a line each.
std::string Placed(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes())
    text += StrCat(node.name, " @", node.target,
                   node.why.empty() ? "" : StrCat(" (", node.why, ")"), "\n");
  return text;
}
std::string PlacedIn(const Graph& graph, const PassContext& context) {
  const Graph placed = RunPasses(graph, PlacementPipeline(), context);
  const auto inputs = RandomInputs(graph, 1);
  EXPECT_EQ(Evaluate(graph, inputs), Evaluate(placed, inputs));
  return Placed(placed);
}

TEST(Borders, ANetworkWithoutOneStaysWithTheFirst) {
  EXPECT_EQ(PlacedIn(Chain(4), {kGpuFirst, &kRest}), "a @gpu\nb @gpu\nc @gpu\ny @gpu\n");
}

TEST(Borders, WhatTheFirstCannotTakeGoesToTheNextAndIsCopiedThereAndBack) {
  const FakeGpu no_exp(Op::kExp);
  const Target* const targets[] = {&no_exp};
  EXPECT_EQ(PlacedIn(Chain(10'000'000), {targets, &kRest}),
            "a @gpu\na.copy @cpu\nb @cpu (gpu: refused)\nb.copy @gpu\nc @gpu\ny @gpu\n");
}

TEST(Borders, ATargetIsAskedForByName) {
  EXPECT_EQ(PlacedIn(Chain(10'000'000), {kGpuFirst, &kRest, {{"b", "cpu"}}}),
            "a @gpu\na.copy @cpu\nb @cpu (was placed there)\nb.copy @gpu\nc @gpu\ny @gpu\n");
  const FakeGpu no_exp(Op::kExp);
  const Target* const targets[] = {&no_exp};
  EXPECT_THAT(([&] {
                PlacedIn(Chain(4), {targets, &kRest, {{"b", "gpu"}}});
              }),
              ThrowsMessage<Error>(HasSubstr("node \"b\": target = gpu: refused")));
  EXPECT_THAT(([&] {
                PlacedIn(Chain(4), {targets, &kRest, {{"b", "tpu"}}});
              }),
              ThrowsMessage<Error>(HasSubstr("must be one of the targets: gpu, cpu")));
}

// Of 4 elements copies are all that an island takes; one that is asked for stays all the same.
TEST(Borders, IslandsOfLittleWorkGoToTheNext) {
  const std::string why = " (is less work than copies to gpu and back)\n";
  EXPECT_EQ(PlacedIn(Chain(4), {kGpuFirst, &kRest, {{"b", "cpu"}}}),
            "a @cpu" + why + "b @cpu (was placed there)\nc @cpu" + why + "y @cpu" + why);
  EXPECT_EQ(PlacedIn(Chain(4), {kGpuFirst, &kRest, {{"b", "cpu"}, {"y", "gpu"}}}),
            "a @cpu" + why + "b @cpu (was placed there)\nb.copy @gpu\nc @gpu\ny @gpu\n");
}

TEST(Borders, OneCopyServesAllWhoReadIt) {
  const Graph graph =
      Sized("%x : float32[1,SIZE] = input\n" + Line("a", "relu", "x") + Line("b", "exp", "a") +
                Line("c", "abs", "a") + "output \"b\" = %b\noutput \"c\" = %c\noutput \"a\" = %a\n",
            10'000'000);
  EXPECT_EQ(PlacedIn(graph, {kGpuFirst, &kRest, {{"b", "cpu"}, {"c", "cpu"}}}),
            "a @gpu\na.copy @cpu\nb @cpu (was placed there)\nc @cpu (was placed there)\n");
}

TEST(Borders, InputsLieWhereTheyAreRead) {
  const Graph graph =
      Sized("%x : float32[1,SIZE] = input\n%z : float32[1,SIZE] = input\n" +
                Line("a", "relu", "x") + Line("b", "exp", "x") + Line("c", "abs", "z") +
                "output \"a\" = %a\noutput \"b\" = %b\noutput \"c\" = %c\n",
            10'000'000);
  const PassContext context{kGpuFirst, &kRest, {{"b", "cpu"}}};
  const Graph placed = RunPasses(graph, PlacementPipeline(), context);
  EXPECT_EQ(Placed(placed), "x.copy @gpu\na @gpu\nb @cpu (was placed there)\nc @gpu\n");
  std::vector<std::string> there;
  const std::vector<bool> own = LieInOwnMemory(placed, {"gpu"});
  for (ValueId id = 0; id < std::ssize(own); ++id)
    if (own[id]) there.push_back(placed.value(id).name);
  EXPECT_THAT(there, ElementsAre("z", "x.copy", "a", "c"));
}

TEST(Borders, MemoryOfEachIsPlannedApart) {
  const Graph placed =
      RunPasses(Chain(10'000'000), PlacementPipeline(), {kGpuFirst, &kRest, {{"b", "cpu"}}});
  const std::vector<Step> steps = Steps(placed);
  const std::vector<bool> own = LieInOwnMemory(placed, {"gpu"});
  const MemoryPlan plan = PlanMemory(placed, steps, 64, {}, own);
  EXPECT_EQ(plan.first_bytes, 2 * 40'000'000);
  EXPECT_EQ(plan.arena_bytes, 4 * 40'000'000);
  for (const PlannedTensor& tensor : plan.tensors)
    EXPECT_EQ(tensor.offset_bytes >= plan.first_bytes, own[tensor.value])
        << placed.value(tensor.value).name;
}

}  // namespace
}  // namespace vta::compiler
