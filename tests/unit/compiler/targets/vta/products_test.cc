// Products of two activations: networks for the accelerator and the CPU, and for the CPU alone,
// against sums by hand.
#include <gtest/gtest.h>

#include <random>

#include "compiler/compile.h"
#include "compiler/graph/ops.h"
#include "compiler/quantize/multiplier.h"
#include "compiler/targets/vta/target.h"
#include "driver/functional/functional_device.h"
#include "isa/spec/requant.h"
#include "tests/support/trials.h"
#include "tests/unit/compiler/targets/cpu/kernel_trial.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

struct CodeScales {
  float scale;
  int8_t zero_point;
};

/// quantize(factor * matmul(dequantize(x), dequantize(w))) of stacks of matrices.
struct ProductCase {
  int64_t groups, rows, depth, columns;
  CodeScales x, w, y;
  float factor;

  Graph Network() const {
    Graph graph("product", isa::Rounding::kSingle);
    const auto scalars = [&](const CodeScales& of) {
      return std::pair(graph.AddConstant("scale", Tensor::Of<float>({}, {of.scale})),
                       graph.AddConstant("zero", Tensor::Of<int8_t>({}, {of.zero_point})));
    };
    const auto real = [&](const char* name, const Shape& shape, const CodeScales& of) {
      const auto [scale, zero] = scalars(of);
      return graph.Emit(Op::kDequantize, name,
                        {graph.AddInput(name, {DType::kInt8, shape}), scale, zero},
                        {{"axis", int64_t{0}}});
    };
    const ValueId product = graph.Emit(
        Op::kMatMul, "product",
        {real("x", {groups, rows, depth}, x), real("w", {groups, depth, columns}, w)}, {});
    const ValueId number = graph.AddConstant("factor", Tensor::Of<float>({}, {factor}));
    const ValueId scaled = graph.Emit(Op::kMul, "scaled", {product, number}, {});
    const auto [scale, zero] = scalars(y);
    graph.AddOutput("y",
                    graph.Emit(Op::kQuantize, "y", {scaled, scale, zero}, {{"axis", int64_t{0}}}));
    return graph;
  }

  std::vector<uint8_t> Wanted(std::span<const int8_t> a, std::span<const int8_t> b) const {
    const FixedPoint scale = ToFixedPoint(double{x.scale} * w.scale / (double{y.scale} / factor));
    const isa::RequantLane lane{.multiplier = scale.multiplier,
                                .exponent = static_cast<int8_t>(scale.exponent),
                                .zero_point = y.zero_point};
    std::vector<uint8_t> codes;
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          int64_t sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += (a[(g * rows + i) * depth + k] - x.zero_point) *
                   (b[(g * depth + k) * columns + j] - w.zero_point);
          codes.push_back(static_cast<uint8_t>(
              isa::Requant(static_cast<int32_t>(sum), lane, isa::Rounding::kSingle)));
        }
    return codes;
  }
};

/// On the accelerator where there is a config; its steps there.
int64_t ExpectRight(const ProductCase& c, const std::optional<isa::Config>& config) {
  const llvm::Machine machine = llvm::HostMachine();
  const lower::CpuSpec spec{machine.triple.substr(0, machine.triple.find('-')), machine.features,
                            machine.tune_cpu};
  const CpuTarget cpu({spec});
  std::optional<VtaTarget> vta;
  std::vector<const CodeTarget*> all = {&cpu};
  if (config) all.insert(all.begin(), &vta.emplace(*config));
  const Graph graph = c.Network();
  const CompileResult compiled = Compile(
      graph,
      {.config = config,
       .targets = all,
       .cpus = {&spec, 1},
       .build_module = [&](std::span<const lower::Kernel> kernels, const lower::CpuSpec&, bool) {
         return ModuleCode{llvm::BuildModule(kernels, machine), {}};
       }});
  std::unique_ptr<driver::Device> device;
  if (config) device = std::make_unique<driver::FunctionalDevice>(*config);
  runtime::Session session(std::make_shared<runtime::Model>(compiled.package, "product"),
                           device.get());
  const std::vector<Tensor> inputs = RandomInputs(graph, static_cast<uint32_t>(c.rows));
  const std::span<const uint8_t> bytes[] = {inputs[0].bytes(), inputs[1].bytes()};
  const auto made = runtime::Infer(session, bytes);
  EXPECT_EQ(std::vector<uint8_t>(made[0].begin(), made[0].end()),
            c.Wanted(inputs[0].data<int8_t>(), inputs[1].data<int8_t>()));
  return std::ranges::count(compiled.package.steps, isa::PackageStep::Kind::kProgram,
                            &isa::PackageStep::kind);
}

TEST(VtaProducts, OfAnySizeAreTheSumsByHand) {
  std::mt19937 random(5);
  const auto any = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const std::vector<isa::Config> configs = {ConfigNamed("default"), ConfigNamed("large_64x64"),
                                            Batched(2)};
  const int64_t trials = Trials(15);
  for (int64_t trial = 0; trial < trials; ++trial) {
    const int64_t most = trial % 5 == 0 ? 257 : 40;
    const auto codes = [&](bool is_centred) {
      return CodeScales{static_cast<float>(any(1, 1000)) / 10000,
                        static_cast<int8_t>(is_centred ? 0 : any(-128, 127))};
    };
    // The zero point 0 of one, of the other, of both, of none.
    const ProductCase c{any(1, 3),
                        any(1, most),
                        any(1, most),
                        any(1, most),
                        codes(trial % 4 == 1 || trial % 4 == 2),
                        codes(trial % 4 == 0 || trial % 4 == 2),
                        {static_cast<float>(any(1, 100)), static_cast<int8_t>(any(-20, 20))},
                        static_cast<float>(any(1, 8)) / 4};
    const isa::Config& config = configs[trial % configs.size()];
    SCOPED_TRACE(StrCat("trial ", trial, " on ", config.name, ": ", c.groups, "x", c.rows, "x",
                        c.depth, "x", c.columns));
    const bool fits = c.x.zero_point == 0 || c.w.zero_point == 0;
    EXPECT_EQ(ExpectRight(c, config), fits ? 1 : 0);
    if (trial % 3 == 0) ExpectRight(c, std::nullopt);
  }
}

TEST(VtaProducts, WithoutRequantTheyStayOnTheCpu) {
  const ProductCase c{2, 5, 16, 16, {0.01f, 3}, {0.02f, 0}, {0.1f, -4}, 1};
  EXPECT_EQ(ExpectRight(c, ConfigNamed("vta_0.0.2")), 0);
}

}  // namespace
}  // namespace vta::compiler::targets
