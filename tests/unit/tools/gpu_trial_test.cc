// Kernels of a GPU by themselves, on the first device of OpenCL.
#include "tools/vta/common/gpu_trial.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <variant>

#include "compiler/graph/ops.h"
#include "compiler/targets/cuda/conv.h"
#include "compiler/targets/cuda/space.h"
#include "tests/support/opencl_device.h"

namespace vta::tools {
namespace {

using compiler::Graph;
using compiler::Tensor;
using compiler::ValueId;

/// Of 72 outputs: tiles of 64 go beyond the end, and weights are large.
Graph Convolution() {
  Graph graph;
  const ValueId x = graph.AddInput("x", {compiler::DType::kFloat32, {1, 300, 4, 4}});
  Tensor weights({compiler::DType::kFloat32, {72, 300, 1, 1}});
  Tensor bias({compiler::DType::kFloat32, {72}});
  for (float& value : bias.mutable_data<float>()) value = 1000;
  graph.AddOutput("y", graph.Emit(compiler::Op::kConv2d, "c",
                                  {x, graph.AddConstant("w", std::move(weights)),
                                   graph.AddConstant("b", std::move(bias))},
                                  {{"strides", compiler::Shape{1, 1}},
                                   {"pads", compiler::Shape{0, 0, 0, 0}},
                                   {"dilations", compiler::Shape{1, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

TEST(GpuTrial, OutputsAreThoseOfOtherTiles) {
  const test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const Graph graph = Convolution();
  const isa::GpuRow& kind = isa::kOpenClGpu;
  const compiler::targets::GpuSpace space(
      graph, {.nodes = {0}}, *compiler::targets::ProductOfTaps(graph, graph.nodes()[0]), kind);
  std::map<int64_t, std::vector<float>> outputs;  // by the rows of their weights
  for (const compiler::tune::Point& point : space.Cheapest(100'000)) {
    const compiler::tune::Trial trial = space.Try(point);
    const auto& code = std::get<compiler::KernelCode>(trial.code);
    const int64_t row = code.functions[0].params[1]->shape[1];
    if (!outputs.emplace(row, 72 * 16).second) continue;
    const isa::Package package = PackageOf(code, kind, GpuSpecs(kind));
    EXPECT_EQ(package.inputs.size(), 2);  // the weights are one, the bias is none
    EXPECT_EQ(package.constants.size(), 5 * 64);
    const GpuTime time = TimeOnGpu(*device.gpu(), package, "p");
    EXPECT_GT(time.ns, 0);
    ASSERT_EQ(time.outputs.size(), outputs[row].size() * sizeof(float));
    std::memcpy(outputs[row].data(), time.outputs.data(), time.outputs.size());
    if (outputs.size() == 3) break;
  }
  ASSERT_EQ(outputs.size(), 3);
  const std::vector<float>& first = outputs.begin()->second;
  EXPECT_GT(first[0], 1000);
  EXPECT_NE(first[0], first[1]);
  for (const auto& [row, values] : outputs)
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], first[i], 0.01) << row;
}

}  // namespace
}  // namespace vta::tools
