// Every shipped accelerator variant compiles a small convolution network and computes exactly what
// it must.
#include "tools/vta/common/configs.h"

#include <gtest/gtest.h>

#include "compiler/graph/ops.h"
#include "tests/network/random_network.h"
#include "tests/network/trial.h"

namespace vta::test {
namespace {

using compiler::Attributes;
using compiler::DType;
using compiler::Graph;
using compiler::Op;
using compiler::Shape;
using compiler::Tensor;
using compiler::ValueId;

/// Weights [out, in, k, k] (or [out, in]) and what turns their sums into codes, behind `x`.
std::vector<ValueId> Layer(Graph& graph, Draws& draw, ValueId x, const Shape& shape) {
  const auto constant = [&]<typename T>(const char* name, const Shape& of, auto value) {
    std::vector<T> values(compiler::Elements(of));
    for (T& v : values) v = static_cast<T>(value());
    return graph.AddConstant(name, Tensor::Of<T>(of, values));
  };
  const Shape lanes{shape[0]};
  return {x, constant.operator()<int8_t>("w", shape, [&] { return draw.Int(-128, 127); }),
          constant.operator()<int32_t>("bias", lanes, [&] { return draw.Int(-9999, 9999); }),
          constant.operator()<int32_t>("multiplier", lanes,
                                       [&] { return draw.Int(int64_t{1} << 30, INT32_MAX); }),
          constant.operator()<int32_t>("exponent", lanes, [&] { return draw.Int(-11, -9); })};
}

Attributes Codes() {
  return {{"zero_point", int64_t{-7}}, {"low", int64_t{-128}}, {"high", int64_t{127}}};
}

ValueId Convolve(Graph& graph, Draws& draw, ValueId x, int64_t channels, int64_t stride) {
  Attributes attributes = Codes();
  attributes.Set("strides", Shape{stride, stride});
  attributes.Set("pads", Shape{1, 1, 1, 1});
  attributes.Set("dilations", Shape{1, 1});
  attributes.Set("groups", int64_t{1});
  attributes.Set("pad_value", int64_t{-3});
  return graph.Emit(Op::kConv2dI8, "conv",
                    Layer(graph, draw, x, {channels, graph.shape(x)[1], 3, 3}), attributes);
}

/// 5x9x9 -> 20x9x9 -> 20x9x9, a residual sum, 40x5x5, a dense layer of 10. Odd channels, padding
/// with a code that is not 0, a stride.
Graph SmallNetwork(Draws& draw) {
  Graph graph("small", isa::Rounding::kSingle);
  const ValueId x = graph.AddInput("x", {DType::kInt8, {1, 5, 9, 9}});
  const ValueId a = Convolve(graph, draw, x, 20, 1);
  const ValueId b = Convolve(graph, draw, a, 20, 1);
  Attributes sum = Codes();
  sum.Set("multiplier_a", int64_t{4000});
  sum.Set("multiplier_b", int64_t{-3000});
  sum.Set("bias", int64_t{1234});
  sum.Set("multiplier", int64_t{1} << 30);
  sum.Set("exponent", int64_t{-11});
  const ValueId c = graph.Emit(Op::kAddI8, "sum", {a, b}, sum);
  const ValueId d = Convolve(graph, draw, c, 40, 2);
  const ValueId flat = graph.Emit(Op::kReshape, "flat", {d}, {{"shape", Shape{1, 1000}}});
  graph.AddOutput("y",
                  graph.Emit(Op::kDenseI8, "dense", Layer(graph, draw, flat, {10, 1000}), Codes()));
  return graph;
}

/// Two samples, each in five orders of the modules and with kernels interpreted, and on the CPU
/// alone in native code and interpreted.
constexpr int64_t kRuns = 16;

/// Small networks whose tiles take turns in two accumulator banks.
TEST(TwoBanks, ComputeASmallNetworkExactly) {
  for (const char* name : {"default", "vta_0.0.2", "small_8x8"}) {
    isa::Config config = tools::FindConfig(name);
    for (const int64_t acc_depth : {config.arch.acc_depth, int64_t{64}}) {
      config.uarch.acc_banks = 2;
      config.arch.acc_depth = acc_depth;
      Draws draw(1);
      NetworkTally tally;
      EXPECT_EQ(TryNetwork(config, SmallNetwork(draw), 1, &tally), "") << name << acc_depth;
      EXPECT_EQ(tally.runs, kRuns);
    }
  }
}

class ShippedConfig : public testing::TestWithParam<std::string> {};

TEST_P(ShippedConfig, ComputesASmallNetworkExactly) {
  const isa::Config config = tools::FindConfig(GetParam());
  EXPECT_EQ(config.name, GetParam());
  EXPECT_NE(config.about, "");
  Draws draw(1);
  NetworkTally tally;
  EXPECT_EQ(TryNetwork(config, SmallNetwork(draw), 1, &tally), "");
  EXPECT_EQ(tally.exact, config.arch.requant && config.arch.requant_multiplier_bits == 32);
  // Where there is a mul, the sum is part of the program of the convolution before it.
  EXPECT_EQ(tally.on_vta["conv2d_i8"], config.arch.mul ? 2 : 3);
  EXPECT_EQ(tally.on_vta[config.arch.mul ? "conv2d_i8+add_i8" : "add_i8"], 1);
  EXPECT_EQ(tally.on_vta["dense_i8"], 1);
  EXPECT_EQ(tally.runs, kRuns);
}

INSTANTIATE_TEST_SUITE_P(Each, ShippedConfig, testing::ValuesIn(tools::ShippedConfigs()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace vta::test
