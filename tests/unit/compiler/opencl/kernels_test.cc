// OpenCL C on a device, PoCL's where there is no other: every op against the graph's evaluator,
// tiles of any size, and a network.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "compiler/compile.h"
#include "compiler/frontend/model.h"
#include "compiler/graph/evaluate.h"
#include "compiler/models/models.h"
#include "compiler/native_code.h"
#include "compiler/targets/gpu/target.h"
#include "isa/support/error.h"
#include "runtime/session.h"
#include "tests/support/opencl_device.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/operators/cases.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"

namespace vta::compiler::opencl {
namespace {

using testing::HasSubstr;

CompileResult CompileForOpenCl(const Graph& graph) {
  const lower::CpuSpec spec{std::string(isa::kOpenClArch), {"1.2"}, ""};
  const targets::OpenClTarget target;
  const CodeTarget* const targets[] = {&target};
  return Compile(graph, {.targets = targets, .cpus = {&spec, 1}, .build_module = BuildModule});
}

class OpenClKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!device_.gpu()) GTEST_SKIP() << "no OpenCL device: " << device_.why();
  }

  /// What differs of each output: [] where all are as the evaluator makes them.
  std::vector<std::string> Differences(const Graph& graph, const std::vector<Tensor>& inputs) {
    const isa::Package loaded = isa::ParsePackage(
        isa::SerializePackage(CompileForOpenCl(graph).package), "package");  // as from a file
    runtime::Session session(std::make_shared<runtime::Model>(loaded, "package"), nullptr,
                             {.gpu = device_.gpu()});
    std::vector<std::span<const uint8_t>> bytes;
    for (const Tensor& input : inputs) bytes.push_back(input.bytes());
    const auto outputs = runtime::Infer(session, bytes);
    const std::vector<Tensor> wanted = Evaluate(graph, inputs);
    std::vector<std::string> out;
    for (size_t i = 0; i < wanted.size(); ++i)
      if (const std::string text = targets::Difference(wanted[i], outputs[i]); !text.empty())
        out.push_back(StrCat(graph.outputs()[i].name, text));
    return out;
  }

  test::OpenClDevice device_;
};

// A program for all that have one rounding: each costs a start of the device's compiler.
TEST_F(OpenClKernels, EveryOpIsAsTheEvaluatorDoesIt) {
  std::mt19937 random(5);
  for (const isa::Rounding rounding : {isa::Rounding::kSingle, isa::Rounding::kDouble}) {
    Graph all("all", rounding);
    std::vector<Tensor> inputs;
    int64_t trial = 0;
    for (const operators::Case& c : operators::Cases()) {
      // Without a sum of codes the rounding says nothing.
      if (++trial % 2 == (rounding == isa::Rounding::kSingle) || trial % OneTrialOf() != 0)
        continue;
      const auto [graph, own] = operators::MakeExample(c, rounding, random);
      std::vector<ValueId> ids;
      for (const Tensor& input : own) {
        ids.push_back(all.AddInput("x", input.type()));
        inputs.push_back(input);
      }
      const std::string name = StrCat(Spec(c.op).name, "_case", trial);
      all.AddOutput(name, all.Emit(c.op, name, ids, c.attributes));
    }
    EXPECT_THAT(Differences(all, inputs), testing::IsEmpty());
  }
}

TEST_F(OpenClKernels, ConvolutionsOfAnySizeAreInTiles) {
  std::mt19937 random(9);
  const auto any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  Graph graph;
  const int64_t trials = Trials(12);
  for (int64_t trial = 0; trial < trials; ++trial) {
    // Of the first one threads have several outputs and places each.
    const bool even = trial == 0;
    const Shape kernel = even ? Shape{3, 3} : Shape{any(1, 4), any(1, 4)};
    const Shape in = even ? Shape{1, 16, 34, 34}
                          : Shape{any(1, 2), any(1, 40), any(kernel[0], 17), any(kernel[1], 17)};
    const Shape weights{even ? 64 : any(1, 70), in[1], kernel[0], kernel[1]};
    const ValueId x = graph.AddInput("x", {DType::kFloat32, in});
    Tensor w({DType::kFloat32, weights}), b({DType::kFloat32, {weights[0]}});
    for (Tensor* tensor : {&w, &b})
      for (float& v : tensor->mutable_data<float>()) v = static_cast<float>(any(-8, 8)) / 8;
    const std::string name = StrCat(ToText(in), " by ", ToText(weights));
    graph.AddOutput(name, graph.Emit(Op::kConv2d, "c",
                                     {x, graph.AddConstant("w", std::move(w)),
                                      graph.AddConstant("b", std::move(b))},
                                     {{"strides", Shape{any(1, 3), any(1, 3)}},
                                      {"pads", Shape{any(0, 2), any(0, 2), any(0, 2), any(0, 2)}},
                                      {"dilations", Shape{1, 1}},
                                      {"groups", int64_t{1}}}));
  }
  EXPECT_THAT(Differences(graph, RandomInputs(graph, 1)), testing::IsEmpty());
}

}  // namespace
}  // namespace vta::compiler::opencl
