// Kernels of a GPU by themselves, on the first device of OpenCL.
#include "tools/vta/common/trials/gpu_trial.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <span>
#include <variant>

#include "compiler/graph/ops.h"
#include "compiler/targets/gpu/conv.h"
#include "compiler/targets/gpu/express.h"
#include "compiler/targets/gpu/space.h"
#include "tests/support/opencl_device.h"
#include "tools/shared/samples.h"

namespace vta::tools {
namespace {

using compiler::Graph;
using compiler::Tensor;
using compiler::ValueId;

constexpr int64_t kOutputs = 72, kChannels = 300, kPlaces = 16;  // tiles go beyond the end

float WeightAt(int64_t output, int64_t channel) {
  return static_cast<float>((output * 7 + channel * 3) % 23 - 11);
}

Graph Convolution() {
  Graph graph;
  const ValueId x = graph.AddInput("x", {compiler::DType::kFloat32, {1, kChannels, 4, 4}});
  Tensor weights({compiler::DType::kFloat32, {kOutputs, kChannels, 1, 1}});
  Tensor bias({compiler::DType::kFloat32, {kOutputs}});
  for (int64_t o = 0; o < kOutputs; ++o) {
    bias.mutable_data<float>()[o] = static_cast<float>(100 * o);
    for (int64_t c = 0; c < kChannels; ++c)
      weights.mutable_data<float>()[o * kChannels + c] = WeightAt(o, c);
  }
  graph.AddOutput("y", graph.Emit(compiler::Op::kConv2d, "c",
                                  {x, graph.AddConstant("w", std::move(weights)),
                                   graph.AddConstant("b", std::move(bias))},
                                  {{"strides", compiler::Shape{1, 1}},
                                   {"pads", compiler::Shape{0, 0, 0, 0}},
                                   {"dilations", compiler::Shape{1, 1}},
                                   {"groups", int64_t{1}}}));
  return graph;
}

/// Of a sample, with weights of which the first eight repeat.
std::vector<float> Expected(std::span<const uint8_t> sample) {
  std::vector<float> x(kChannels * kPlaces), y;
  std::memcpy(x.data(), sample.data(), sample.size());
  for (int64_t o = 0; o < kOutputs; ++o)
    for (int64_t p = 0; p < kPlaces; ++p) {
      y.push_back(static_cast<float>(100 * o));
      for (int64_t c = 0; c < kChannels; ++c)
        y.back() += WeightAt(o % 8, c % 8) * x[c * kPlaces + p];
    }
  return y;
}

/// What lies as words is drawn, and compared, as the 16-bit numbers that it is.
TEST(GpuTrial, WordsOfHalvesAreNumbers) {
  Graph graph = Convolution();
  const compiler::Node& node = graph.nodes()[0];
  const compiler::Storage halves{.channels = 2, .halves = true};
  for (const ValueId value : {node.inputs[0], node.output}) graph.Store(value, halves);
  const isa::GpuRow& kind = isa::kCudaGpu;
  const compiler::Step step{.nodes = {0}};
  const isa::Precision fp16 = isa::Precision::kFp16;
  const compiler::targets::GpuSpace space(
      graph, step, *compiler::targets::ProductOfStep(graph, step.nodes, kind, fp16), kind);
  const compiler::tune::Trial trial = space.Try(space.Cheapest(1).at(0));
  const isa::Package package =
      PackageOf(std::get<compiler::KernelCode>(trial.code), kind, GpuSpecs(kind, fp16));
  ASSERT_EQ(package.inputs.size(), 1);
  const isa::PackageTensor &x = package.tensors[package.inputs[0]],
                           &y = package.tensors[package.outputs.at(0)];
  EXPECT_EQ(x.type, isa::ElementType::kInt16);
  EXPECT_EQ(x.shape, (std::vector<int64_t>{1, kChannels / 2, 4, 4, 2}));
  EXPECT_EQ(y.type, isa::ElementType::kInt16);
  EXPECT_EQ(y.shape, (std::vector<int64_t>{1, kOutputs / 2, kPlaces, 2}));
}

TEST(GpuTrial, TilesOfAnyPackingGiveTheSame) {
  const test::OpenClDevice device;
  if (!device.gpu()) GTEST_SKIP() << "no OpenCL device: " << device.why();
  const Graph graph = Convolution();
  const isa::GpuRow& kind = isa::kOpenClGpu;
  const compiler::targets::GpuSpace space(
      graph, {.nodes = {0}},
      *compiler::targets::ProductOfTaps(graph, graph.nodes()[0], kind, isa::Precision::kFp32),
      kind);
  std::set<int64_t> rows;  // lengths of those of packed weights
  for (const compiler::tune::Point& point : space.Cheapest(100'000)) {
    const compiler::tune::Trial trial = space.Try(point);
    const auto& code = std::get<compiler::KernelCode>(trial.code);
    if (!rows.insert(code.functions[0].params[1]->shape[1]).second) continue;
    const isa::Package package = PackageOf(code, kind, GpuSpecs(kind));
    ASSERT_EQ(package.inputs.size(), 1);
    const GpuTime time = TimeOnGpu(*device.gpu(), package, "p");
    EXPECT_GT(time.ns, 0);
    const std::vector<float> expected =
        Expected(RandomSample(package.tensors[package.inputs[0]], 1));
    ASSERT_EQ(time.outputs.size(), expected.size() * sizeof(float));
    for (size_t i = 0; i < expected.size(); ++i) {
      float value;
      std::memcpy(&value, &time.outputs[i * sizeof value], sizeof value);
      ASSERT_NEAR(value, expected[i], 0.05) << *rows.rbegin() << " " << i;
    }
    if (rows.size() == 3) break;
  }
  EXPECT_EQ(rows.size(), 3);
}

}  // namespace
}  // namespace vta::tools
