// Networks of which the accelerator takes the layers, by what is left to the CPU between them:
// small ones, which run there too, against the evaluator.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "compiler/compile.h"
#include "compiler/graph/ops.h"
#include "compiler/targets/vta/target.h"
#include "driver/functional/functional_device.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

/// int8 layers on planes of 5x5: a block of them is no multiple of a line of a CPU's cache.
class SmallNet {
 public:
  SmallNet() : random_(7), graph_("small") {}

  Graph& graph() { return graph_; }
  ValueId Input(int64_t channels) {
    return graph_.AddInput("x", {DType::kInt8, {1, channels, 5, 5}});
  }
  ValueId Conv(ValueId x, int64_t out) {
    const auto constant = [&](const Shape& shape, int32_t low, int32_t high) {
      std::vector<int32_t> values(Elements(shape));
      for (int32_t& value : values)
        value = low + static_cast<int32_t>(random_() % static_cast<uint32_t>(high - low + 1));
      return values;
    };
    const Shape w{out, graph_.shape(x)[1], 1, 1}, lanes{out};
    const std::vector<int32_t> codes = constant(w, -128, 127);
    const auto parameter = [&](int32_t low, int32_t high) {
      return graph_.AddConstant("p", Tensor::Of<int32_t>(lanes, constant(lanes, low, high)));
    };
    const ValueId weights =
        graph_.AddConstant("w", Tensor::Of<int8_t>(w, {codes.begin(), codes.end()}));
    const ValueId bias = parameter(-999, 999), multiplier = parameter(1 << 30, INT32_MAX),
                  exponent = parameter(-10, -9);
    return graph_.Emit(Op::kConv2dI8, "conv", {x, weights, bias, multiplier, exponent},
                       {{"groups", int64_t{1}},
                        {"strides", Shape{1, 1}},
                        {"pads", Shape{0, 0, 0, 0}},
                        {"dilations", Shape{1, 1}},
                        {"pad_value", int64_t{0}},
                        {"zero_point", int64_t{3}},
                        {"low", int64_t{-128}},
                        {"high", int64_t{127}}});
  }
  ValueId Concat(ValueId a, ValueId b) {
    return graph_.Emit(Op::kConcat, "concat", {a, b}, {{"axis", int64_t{1}}});
  }

  /// Runs it, and returns its steps on the CPU.
  int64_t KernelsOf(ValueId y) {
    graph_.AddOutput("y", y);
    const isa::Config config = ConfigNamed("default");
    const llvm::Machine machine = llvm::HostMachine();
    const lower::CpuSpec spec{machine.triple.substr(0, machine.triple.find('-')), machine.features,
                              machine.tune_cpu};
    const CpuTarget cpu({spec});
    const VtaTarget vta(config);
    const CodeTarget* const all[] = {&vta, &cpu};
    const CompileResult compiled = CompileNormalized(
        graph_,
        {.config = config,
         .targets = all,
         .cpus = {&spec, 1},
         .build_module = [&](std::span<const lower::Kernel> kernels, const lower::CpuSpec&, bool) {
           return ModuleCode{llvm::BuildModule(kernels, machine), {}};
         }});
    driver::FunctionalDevice device(config);
    runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "small"), &device);
    const std::vector<Tensor> inputs = RandomInputs(graph_, 3);
    const std::span<const uint8_t> bytes[] = {inputs[0].bytes()};
    EXPECT_EQ(Difference(Evaluate(graph_, inputs)[0], runtime::Infer(session, bytes)[0]), "");
    return std::ranges::count(compiled.package.steps, isa::PackageStep::Kind::kKernel,
                              &isa::PackageStep::kind);
  }

 private:
  std::mt19937 random_;
  Graph graph_;
};

constexpr int64_t kPackAndUnpack = 2;

TEST(VtaMoves, ConcatenationsOfConcatenationsAreInPlaceAtAnyBlock) {
  SmallNet net;
  const ValueId a = net.Conv(net.Input(16), 16);
  const ValueId c = net.Concat(a, net.Conv(a, 16));
  const ValueId e = net.Concat(c, net.Conv(c, 16));
  EXPECT_EQ(net.KernelsOf(net.Conv(net.Concat(e, net.Conv(e, 32)), 16)), kPackAndUnpack);
}

TEST(VtaMoves, UpsampledCodesStayInBlocks) {
  SmallNet net;
  const ValueId a = net.Conv(net.Input(16), 16);
  const auto repeated = [&](ValueId x, int64_t axis) {
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < 10; ++i) indices.push_back(i / 2);
    const ValueId twice = net.graph().AddConstant("i", Tensor::Of<int64_t>({10}, indices));
    return net.graph().Emit(Op::kGather, "up", {x, twice}, {{"axis", axis}});
  };
  const ValueId up = repeated(repeated(a, 2), 3);
  EXPECT_EQ(net.KernelsOf(net.Conv(net.Concat(up, net.Conv(up, 16)), 16)), kPackAndUnpack);
}

TEST(VtaMoves, WhatTheCpuReadsLiesWhereItsKernelsWantIt) {
  SmallNet net;
  const ValueId a = net.Conv(net.Input(16), 16), b = net.Conv(a, 16);
  net.graph().AddOutput("b", b);  // which an unpack reads
  EXPECT_EQ(net.KernelsOf(net.Conv(net.Concat(a, b), 16)), kPackAndUnpack + 2);
}

}  // namespace
}  // namespace vta::compiler::targets
