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
  const Scheduled op = ScheduleMul(config, isa::Rounding::kSingle, {}, "mul", {rows, -12, 100});
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

TEST(Mul, SaysWhyItRefuses) {
  const auto product = [](Case& c) { AddProduct(&c, {1, 16, 5, 5}, {1, 16, 5, 5}); };
  EXPECT_EQ(WhyNot(ConfigNamed("vta_0.0.2"), product),
            "arch.mul = 0: a product needs the ALU operation mul");
  const auto repeated = [](Case& c) { AddProduct(&c, {1, 16, 5, 5}, {1, 16, 1, 1}); };
  EXPECT_EQ(WhyNot(Batched(1), repeated), "input shape = [1,1,1,1,1,16]: must be the output's");
  isa::Config small = Batched(1);
  small.arch.acc_depth = 4;
  EXPECT_EQ(WhyNot(small, product),
            "tile = none: one row must fit the scratchpads of the config twice");
}

}  // namespace
}  // namespace vta::compiler::targets
