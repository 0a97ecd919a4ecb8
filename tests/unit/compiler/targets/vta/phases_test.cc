// Convolutions of phases through the whole target: their stores interleave them as the graph's
// evaluator does, and taps that a phase has not cost nothing.
#include <gtest/gtest.h>

#include "compiler/targets/vta/lower/lower.h"
#include "compiler/targets/vta/plan.h"
#include "isa/support/error.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

struct Phases {
  int64_t in, out, groups, kernel;
  Shape blocks, crops;
  bool full;  // all phases have all taps
};

/// Weights of which phase p has only those taps whose number is not less than p.
Tensor Weights(Case* c, const Phases& p) {
  const int64_t phases = p.blocks[0] * p.blocks[1], taps = p.kernel * p.kernel;
  Tensor w(TensorType{DType::kInt8, {phases * p.out, p.in / p.groups, p.kernel, p.kernel}});
  const int64_t per_phase = p.out / p.groups;
  for (int64_t i = 0; i < w.elements(); ++i) {
    const int64_t phase = i / (w.shape()[1] * taps) / per_phase % phases;
    const bool there = p.full || i % taps >= phase;
    w.mutable_data<int8_t>()[i] = there ? static_cast<int8_t>(c->Draw(1, 127)) : int8_t{0};
  }
  return w;
}

void AddPhases(Case* c, const Phases& p) {
  AddConv(c, p.in, p.blocks[0] * p.blocks[1] * p.out, p.groups, p.kernel, 1, Weights(c, p));
  c->graph().Emit(Op::kDepthToSpace, "interleave", {c->graph().nodes().back().output},
                  {{"blocks", p.blocks}, {"crops", p.crops}, {"groups", p.groups}});
}

const Phases kCases[] = {
    {16, 32, 1, 1, {2, 2}, {0, 0, 0, 0}, true},   {3, 64, 1, 2, {2, 2}, {1, 0, 0, 1}, false},
    {32, 32, 1, 3, {3, 1}, {0, 0, 2, 0}, false},  {40, 32, 1, 2, {1, 3}, {0, 2, 0, 1}, true},
    {32, 32, 32, 2, {2, 2}, {1, 1, 0, 1}, false}, {64, 64, 2, 1, {2, 3}, {0, 0, 0, 0}, true},
    {64, 32, 4, 3, {2, 2}, {1, 1, 1, 1}, true}};

TEST(VtaPhases, AreInterleavedByTheStore) {
  std::vector<isa::Config> configs = AllBlocks();
  configs.push_back(Batched(1));
  configs.push_back(ConfigNamed("two_banks"));
  uint32_t seed = 700;
  for (const isa::Config& config : configs)
    for (const Phases& p : kCases) {
      SCOPED_TRACE(StrCat("seed ", ++seed, ": ", p.in, " ", p.out, " ", p.groups, " ", p.kernel,
                          " on ", config.arch.block_in, "x", config.arch.block_out));
      Case c(config, seed % 2 ? isa::Rounding::kDouble : isa::Rounding::kSingle, seed);
      AddPhases(&c, p);
      c.Run();
    }
}

/// Products of elements that the program makes, and those that the phases' taps are.
std::pair<int64_t, int64_t> Products(const isa::Config& config, const Phases& p) {
  Case c(config, isa::Rounding::kSingle, 1);
  AddPhases(&c, p);
  const StepPlan plan = PlanStep(config, c.graph(), c.Nodes());
  const TaskProgram program = LowerTasks(config, plan.schedule(nullptr).function(),
                                         isa::Rounding::kSingle, plan.sparse, plan.phases);
  int64_t made = 0;
  for (const Task& task : program.tasks)
    if (const Gemm* gemm = std::get_if<Gemm>(&task.op); gemm && gemm->writes != GemmWrites::kZero)
      made +=
          gemm->nest.iter_out * gemm->nest.iter_in * std::ssize(program.kernels[gemm->nest.kernel]);
  const Shape& sums = c.graph().shape(c.graph().nodes()[0].output);
  const int64_t taps = p.kernel * p.kernel, phases = p.blocks[0] * p.blocks[1];
  int64_t present = 0;
  for (int64_t phase = 0; phase < phases; ++phase) present += p.full ? taps : taps - phase;
  const int64_t in = c.graph().shape(c.graph().inputs()[0])[1];
  return {made, sums[0] * sums[2] * sums[3] * in * (p.out / 16) * present};
}

TEST(VtaPhases, MultiplyOnlyByTapsThatTheyHave) {
  int64_t with_absent = 0;
  for (const isa::Config& config : {Batched(1), ConfigNamed("only_requant")})
    for (const Phases& p : kCases) {
      if (p.groups > 1) continue;
      const auto [made, wanted] = Products(config, p);
      EXPECT_EQ(made, wanted) << p.in << " " << p.kernel;
      with_absent += !p.full;
    }
  EXPECT_EQ(with_absent, 4);
}

TEST(VtaPhases, SayWhyTheyAreNotInterleavedByAStore) {
  const auto why = [](int64_t channels, int64_t groups, int64_t own_groups) {
    Graph graph("plain", isa::Rounding::kSingle);
    const Shape w{4 * channels, 32 / own_groups, 1, 1};
    const auto lanes = [&](const char* name, int32_t value) {
      return graph.AddConstant(
          name, Tensor::Of({w[0]}, std::vector<int32_t>(static_cast<size_t>(w[0]), value)));
    };
    const ValueId x = graph.AddInput("x", {DType::kInt8, {1, 32, 3, 3}});
    const ValueId y =
        graph.Emit(Op::kConv2dI8, "conv",
                   {x, graph.AddConstant("w", Tensor(TensorType{DType::kInt8, w})),
                    lanes("bias", 1), lanes("multiplier", 1 << 30), lanes("exponent", -3)},
                   {{"strides", Shape{1, 1}},
                    {"pads", Shape(4)},
                    {"dilations", Shape{1, 1}},
                    {"groups", own_groups},
                    {"pad_value", int64_t{0}},
                    {"zero_point", int64_t{0}},
                    {"low", int64_t{-128}},
                    {"high", int64_t{127}}});
    graph.Emit(Op::kDepthToSpace, "interleave", {y},
               {{"blocks", Shape{2, 2}}, {"crops", Shape(4)}, {"groups", groups}});
    const NodeId both[] = {0, 1};
    std::string text;
    const bool takes = VtaTarget(Batched(1)).CanTake(graph, both, &text);
    EXPECT_EQ(takes, text.empty());
    return text;
  };
  EXPECT_EQ(why(16, 1, 1), "");
  EXPECT_EQ(why(24, 1, 1), "channels = 24: must be whole blocks of 16");
  EXPECT_EQ(why(32, 2, 1), "groups = 2: must be the convolution's 1");
}

}  // namespace
}  // namespace vta::compiler::targets
