// Products: the kernel against plain arithmetic, the operator against the graph's evaluator.
#include "compiler/targets/vta/kernels/mul.h"

#include <gtest/gtest.h>

#include "compiler/targets/vta/kernels/constants.h"
#include "isa/spec/requant.h"
#include "tests/unit/compiler/targets/vta/kernels/kernel_case.h"
#include "tests/unit/compiler/targets/vta/target_case.h"

namespace vta::compiler::targets {
namespace {

void AddProduct(Case* c, const Shape& a, const Shape& b) {
  const Attributes attributes{{"zero_a", int64_t{-3}},    {"zero_b", int64_t{90}},
                              {"exponent", int64_t{-7}},  {"multiplier", int64_t{1} << 30},
                              {"zero_point", int64_t{9}}, {"low", int64_t{-128}},
                              {"high", int64_t{127}}};
  const ValueId left = c->Input("a", a[0], a[1], a[2], a[3]);
  const ValueId right = c->Input("b", b[0], b[1], b[2], b[3]);
  c->graph().Emit(Op::kMulI8, "mul", {left, right}, attributes);
}

TEST(Mul, EqualsPlainArithmetic) {
  std::mt19937 random(12);
  const isa::Config config = ConfigNamed("default");
  const int64_t rows = 37;
  Tensors tensors = Operands(config, rows, random);
  tensors["w"] = Diagonal(config, 1);
  const Scheduled op = ScheduleMul(config, isa::Rounding::kSingle, {}, "mul", {{rows}, -12, 100});
  const Tensors found = RunBoth(config, isa::Rounding::kSingle, op, tensors);
  for (size_t i = 0; i < found.at("y").size(); ++i) {
    const int32_t product =
        (static_cast<int8_t>(tensors["a"][i]) + 12) * (static_cast<int8_t>(tensors["b"][i]) - 100);
    ASSERT_EQ(static_cast<int8_t>(found.at("y")[i]),
              isa::Requant(product, SomeLane(), isa::Rounding::kSingle));
  }
}

TEST(Mul, IsTheGraphs) {
  for (const isa::Config& config : AllBlocks()) {
    Case c(config, isa::Rounding::kSingle, 6);
    AddProduct(&c, {1, 16, 5, 5}, {1, 16, 5, 5});
    c.Run();
  }
}

/// Rows of two_banks, of ISA 0.0.2 with mul, and of scratchpads in which few fit.
std::vector<isa::Config> GateConfigs() {
  std::vector<isa::Config> configs = {ConfigNamed("default"), ConfigNamed("two_banks"),
                                      ConfigNamed("only_mul"), Batched(2)};
  configs.push_back(configs[1]);
  configs.back().arch.acc_depth = 128;
  configs.push_back(configs[0]);
  configs.back().arch.inp_depth = 64;
  return configs;
}

TEST(Mul, OfAGateEqualsPlainArithmetic) {
  std::mt19937 random(13);
  // Several groups in a tile, the last tile with fewer; one in each; parts of one, and of few.
  for (const RowGroups& rows : {RowGroups{21, 9}, {6, 25}, {5, 130}, {2, 33}, {1, 7}})
    for (const isa::Config& config : GateConfigs()) {
      Tensors tensors = Operands(config, rows.rows(), random);
      tensors["b"].resize(rows.groups * config.inp_bytes());
      tensors["w"] = Diagonal(config, 1);
      const Scheduled op =
          ScheduleMul(config, isa::Rounding::kSingle, SomeLane(), "mul", {rows, -12, 100});
      const Tensors found = RunBoth(config, isa::Rounding::kSingle, op, tensors);
      if (!config.arch.requant) continue;
      for (int64_t i = 0; i < std::ssize(found.at("y")); ++i) {
        const int64_t row = config.inp_bytes(), gate = i / (row * rows.pixels) * row + i % row;
        const int32_t product = (static_cast<int8_t>(tensors["a"][i]) + 12) *
                                (static_cast<int8_t>(tensors["b"][gate]) - 100);
        ASSERT_EQ(static_cast<int8_t>(found.at("y")[i]),
                  isa::Requant(product, SomeLane(), isa::Rounding::kSingle))
            << rows.groups << " groups of " << rows.pixels << ", element " << i;
      }
    }
}

TEST(Mul, OfAGateIsTheGraphs) {
  std::vector<isa::Config> configs = AllBlocks();
  for (const isa::Config& config : GateConfigs())
    if (config.arch.requant) configs.push_back(config);
  for (const isa::Config& config : configs)
    for (const Shape& shape : {Shape{1, 40, 13, 11}, {5, 64, 7, 7}, {3, 20, 1, 2}, {1, 16, 20, 20}})
      for (const bool left : {true, false}) {
        Case c(config, isa::Rounding::kDouble, 7);
        const Shape gate{shape[0], shape[1], 1, 1};
        AddProduct(&c, left ? gate : shape, left ? shape : gate);
        c.Run();
      }
}

TEST(Mul, SaysWhyItRefuses) {
  const auto product = [](Case& c) { AddProduct(&c, {1, 16, 5, 5}, {1, 16, 5, 5}); };
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), product),
            "arch.mul = 0: a product needs the ALU operation mul");
  const auto repeated = [](Case& c) { AddProduct(&c, {1, 16, 5, 5}, {1, 16, 1, 5}); };
  EXPECT_EQ(WhyNot(Batched(1), repeated),
            "input shape = [1,1,1,5,1,16]: must be the output's, or with a plane of 1x1");
  const auto crossed = [](Case& c) { AddProduct(&c, {1, 16, 5, 1}, {1, 16, 1, 5}); };
  EXPECT_EQ(WhyNot(Batched(1), crossed),
            "input shape = [1,1,5,1,1,16]: must be the output's, or with a plane of 1x1");
  isa::Config small = Batched(1);
  small.arch.acc_depth = 4;
  EXPECT_EQ(WhyNot(small, product),
            "tile = none: one row must fit the scratchpads of the config twice");
}

}  // namespace
}  // namespace vta::compiler::targets
