// Graphs on a GPU's target, whose threads an interpreter runs, against the graph's evaluator.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/graph/evaluate.h"
#include "compiler/targets/gpu/space.h"
#include "compiler/targets/gpu/target.h"
#include "runtime/session.h"
#include "tests/support/interpreter/host_gpu.h"
#include "tests/unit/compiler/llvm/native.h"
#include "tests/unit/compiler/lower/gpu_races.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::targets {

inline CompileResult CompileForGpu(const Graph& graph, tune::Chooser* chooser = nullptr,
                                   isa::Precision precision = isa::Precision::kFp32) {
  const llvm::Machine ptx{"nvptx64-nvidia-cuda-unknown",
                          "",
                          {precision == isa::Precision::kFp32 ? "sm_70" : "sm_80"},
                          128};
  const lower::CpuSpec spec{std::string(isa::kPtxArch), ptx.features, "", precision};
  const CudaTarget cuda(precision);
  const CodeTarget* const targets[] = {&cuda};
  CompileOptions options{
      .targets = targets,
      .cpus = {&spec, 1},
      .build_module = [&](std::span<const lower::Kernel> kernels, const lower::CpuSpec&, bool) {
        return ModuleCode{llvm::BuildModule(kernels, ptx), {}};
      }};
  if (chooser) options.choosers["cuda"] = chooser;
  return Compile(graph, options);
}

/// The first difference of an output, or "".
inline std::string RunOnGpu(const CompileResult& compiled, const Graph& graph,
                            const std::vector<Tensor>& inputs) {
  test::HostGpu gpu(compiled.kernels);
  const isa::Package loaded =
      isa::ParsePackage(isa::SerializePackage(compiled.package), "gpu");  // as from a file
  runtime::Session session(std::make_shared<runtime::Model>(loaded, "gpu"), nullptr, {.gpu = &gpu});
  std::vector<std::span<const uint8_t>> bytes;
  for (const Tensor& input : inputs) bytes.push_back(input.bytes());
  runtime::RunProfile profile;
  const auto outputs = runtime::Infer(session, bytes, &profile);
  EXPECT_EQ(gpu.launches, std::ssize(loaded.steps));
  // As one, and again, it is the same.
  for (size_t i = 0; i < bytes.size(); ++i) session.SetInput(static_cast<int64_t>(i), bytes[i]);
  session.Run();
  EXPECT_EQ(gpu.launches, 2 * std::ssize(loaded.steps));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<uint8_t> again(outputs[i].size());
    session.GetOutput(static_cast<int64_t>(i), again);
    EXPECT_EQ(again, outputs[i]);
  }
  const std::vector<Tensor> wanted = Evaluate(graph, inputs);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (const std::string text = Difference(wanted[i], outputs[i]); !text.empty())
      return StrCat(graph.outputs()[i].name, text);
  return "";
}

inline std::string TextOf(const isa::Package& package) {
  const std::vector<uint8_t>& code = package.modules.at(0).code;
  return {code.begin(), code.end()};
}

/// A number from `low` to `high`.
using Any = std::function<int64_t(int64_t low, int64_t high)>;

inline Any NumbersOf(std::mt19937& random) {
  return [&random](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
}

inline void ExpectBarriersAreEnough(const CompileResult& compiled, bool and_needed) {
  for (const loop::Function& function : compiled.kernels) {
    const lower::Kernel plan = lower::PlanGpuKernel(function);
    EXPECT_EQ(lower::FirstRace(plan), "") << Print(plan.function);
    for (int64_t i = 0; i < lower::Barriers(plan) && and_needed; ++i)
      EXPECT_NE(lower::FirstRace(lower::WithoutBarrier(plan, i)), "") << "barrier " << i << " of\n"
                                                                      << Print(plan.function);
  }
}

/// Takes any points; the rule's own is one of the space, which a log could not name otherwise.
class AnyOfTheSpace : public RandomChooser {
 public:
  using RandomChooser::RandomChooser;
  std::vector<tune::Offer> Choose(const std::string& step, int64_t steps,
                                  const tune::Space& space) override {
    const tune::Point rule = space.Cheapest(1).at(0);
    EXPECT_EQ(tune::ParsePoint(space.Choices(), tune::Print(space.Choices(), rule)), rule);
    EXPECT_TRUE(space.Has(rule));
    return RandomChooser::Choose(step, steps, space);
  }
};

class OnlyTensor : public RandomChooser {
 public:
  using RandomChooser::RandomChooser;
  bool Wants(const tune::Space& /*space*/, const tune::Point& point) const override {
    return GpuTileAt(point).tensor;
  }
};

/// Graphs by their numbers, each in a tile that `chooser` takes, give what the evaluator gives;
/// `look` sees what was compiled. Whether each barrier is needed is asked of some, where it may be.
inline void ExpectRightInAnyTile(RandomChooser& chooser, int64_t trials, isa::Precision precision,
                                 const std::function<Graph(int64_t)>& graph_of, bool and_needed,
                                 const std::function<void(const CompileResult&)>& look) {
  for (int64_t trial = 0; trial < trials; ++trial) {
    const Graph graph = graph_of(trial);
    const CompileResult compiled = CompileForGpu(graph, &chooser, precision);
    EXPECT_EQ(RunOnGpu(compiled, graph, RandomInputs(graph, static_cast<uint32_t>(trial))), "")
        << Print(compiled.kernels[0]);
    look(compiled);
    if (trial % 4 == 0) ExpectBarriersAreEnough(compiled, and_needed);
  }
  EXPECT_EQ(chooser.chosen(), trials);
}

}  // namespace vta::compiler::targets
