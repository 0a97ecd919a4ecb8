// Convolutions of which a CPU keeps several rows in registers, against the graph's evaluator.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "runtime/session.h"
#include "tools/vta/common/trials/native_cpu.h"

namespace vta::test {
namespace {

using compiler::Graph;
using compiler::Op;
using compiler::Shape;
using compiler::Tensor;
using compiler::lower::CpuSpec;

constexpr int64_t kChannels = 32, kOutputs = 512;

/// Integers, of which sums of products are exact in any order.
Tensor Numbers(const Shape& shape, int64_t range) {
  std::vector<float> values(compiler::Elements(shape));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<int64_t>(i * 7919 % 1009) % range - range / 2);
  return Tensor::Of(shape, values);
}

/// Its weights are more than a cache holds. All sums are negative: a border that is not written
/// would be the greatest.
Graph Network(int64_t samples, int64_t height, int64_t width) {
  Graph g("tiles", isa::Rounding::kSingle);
  const auto x = g.AddInput("x", {compiler::DType::kFloat32, {samples, kChannels, height, width}});
  const auto w = g.AddConstant("w", Numbers({kOutputs, kChannels, 3, 3}, 9));
  const auto b = g.AddConstant("b", Tensor::Of({kOutputs}, std::vector<float>(kOutputs, -100'000)));
  const Shape ones{1, 1}, pads{1, 1, 1, 1};
  const auto sums =
      g.Emit(Op::kConv2d, "sums", {x, w, b},
             {{"strides", ones}, {"pads", pads}, {"dilations", ones}, {"groups", int64_t{1}}});
  g.AddOutput(
      "y",
      g.Emit(Op::kMaxPool, "greatest", {sums},
             {{"kernel", Shape{3, 3}}, {"strides", ones}, {"pads", pads}, {"dilations", ones}}));
  return g;
}

/// This machine, and it with vectors of half the width.
std::vector<CpuSpec> Cpus() {
  std::vector<CpuSpec> cpus{tools::NativeCpu()};
  CpuSpec narrow = cpus[0];
  std::erase_if(narrow.features, [](const std::string& f) { return f.starts_with("avx512"); });
  if (narrow.features != cpus[0].features) cpus.push_back(narrow);
  return cpus;
}

TEST(Tiles, OfSeveralRowsAndARest) {
  for (const auto& [samples, height, width, tasks] :
       std::vector<std::array<int64_t, 4>>{{1, 7, 7, 16}, {2, 11, 3, 64}, {1, 14, 14, 16 * 14}}) {
    const Graph graph = Network(samples, height, width);
    const Tensor x = Numbers({samples, kChannels, height, width}, 17);
    for (const CpuSpec& cpu : Cpus()) {
      const compiler::targets::CpuTarget target({cpu}, compiler::targets::Arithmetic::kExact);
      const compiler::CodeTarget* const targets[] = {&target};
      const isa::Package package =
          compiler::Compile(
              graph, {.targets = targets, .cpus = {&cpu, 1}, .build_module = compiler::BuildModule})
              .package;
      const bool found =
          std::any_of(package.kernels.begin(), package.kernels.end(),
                      [tasks = tasks](const isa::PackageKernel& k) { return k.tasks == tasks; });
      EXPECT_TRUE(found) << height << "x" << width;
      runtime::Session session(std::make_shared<runtime::Model>(package, "tiles"), nullptr);
      const Tensor y = Evaluate(graph, {x})[0];
      const std::span<const uint8_t> input = x.bytes(), wanted = y.bytes();
      const auto outputs = runtime::Infer(session, {&input, 1});
      EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), outputs[0].begin(), outputs[0].end()))
          << height << "x" << width << " of " << samples;
    }
  }
}

}  // namespace
}  // namespace vta::test
