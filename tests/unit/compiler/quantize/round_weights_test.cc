// Weights rounded by what they do to the outputs.
#include "compiler/quantize/round_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/quantize/moments.h"
#include "compiler/quantize/trial.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

double ErrorOf(const std::vector<double>& weights, const std::vector<int64_t>& codes,
               const std::vector<double>& moments) {
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    for (size_t j = 0; j < weights.size(); ++j)
      sum += (weights[i] - static_cast<double>(codes[i])) *
             (weights[j] - static_cast<double>(codes[j])) * moments[i * weights.size() + j];
  return sum;
}

TEST(RoundByMoments, MakesErrorsGoodWhereInputsMoveTogether) {
  using Codes = std::vector<int64_t>;
  // Four times the same input: the sum of the codes counts.
  const std::vector<double> same(16, 1.0), weights = {0.4, 0.4, 0.4, 0.4};
  const Codes codes = RoundByMoments(weights, 1, same);
  EXPECT_EQ(codes[0] + codes[1] + codes[2] + codes[3], 2);
  // Inputs that have nothing to do with each other: the nearest codes.
  const std::vector<double> apart = {1, 0, 0, 4};
  EXPECT_EQ(RoundByMoments(std::vector<double>{0.4, 1.6}, 1, apart), (Codes{0, 2}));
  // Codes end at 127 on either side; scales count.
  EXPECT_EQ(RoundByMoments(std::vector<double>{300, -300}, 2, apart), (Codes{127, -127}));
}

TEST(RoundByMoments, IsNeverWorseThanTheNearestAndMostlyBetter) {
  const std::vector<double> weights = {0.4, -1.3, 2.45, 0.55, -0.7};
  const std::vector<int64_t> nearest = {0, -1, 2, 1, -1};
  double sum = 0, least = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Tensor factor = RandomTensor({5, 5}, 1, seed);
    std::vector<double> moments(25);
    for (int i = 0; i < 25; ++i)
      for (int k = 0; k < 5; ++k)
        moments[i] += factor.At(i / 5 * 5 + k) * factor.At(i % 5 * 5 + k) * (k == 0 ? 9 : 1);
    const double have = ErrorOf(weights, RoundByMoments(weights, 1, moments), moments);
    EXPECT_LE(have, ErrorOf(weights, nearest, moments) + 1e-9) << seed;
    sum += ErrorOf(weights, nearest, moments);
    least += have;
  }
  EXPECT_LT(least, 0.7 * sum);
}

Graph Convolutions(int groups) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 4, 9, 8}});
  const ValueId w = g.AddConstant("w", RandomTensor({8, 4 / groups, 3, 2}, 0.5f, 1));
  g.AddOutput("y", g.Emit(Op::kConv2d, "layer", {x, w},
                          {{"strides", Shape{2, 1}},
                           {"pads", Shape{1, 0, 1, 1}},
                           {"dilations", Shape{1, 2}},
                           {"groups", int64_t{groups}}}));
  return g;
}

TEST(Moments, AreThoseOfThePatchesThatAConvolutionReads) {
  // The mean square of an output, over all of them, is w^T M w.
  for (const int groups : {1, 2, 4}) {
    const Graph graph = Convolutions(groups);
    const Plan plan = MakePlan(graph);
    const auto samples = NormalSamples(graph, 3, 0.5f);
    Moments moments(TapsOf(graph, plan.layers[0]));
    Tensor sums(TensorType{DType::kFloat32, {8}});
    std::vector<double> squares(8);
    double count = 0;
    for (const auto& sample : samples) {
      moments.Add(graph, plan.layers[0], sample[0], {1e-4, 0});
      const Tensor y = Evaluate(graph, sample)[0];
      const int64_t each = y.elements() / 8;
      count += static_cast<double>(each);
      for (int64_t i = 0; i < y.elements(); ++i) squares[i / each] += y.At(i) * y.At(i);
    }
    // Codes of that scale end at 0.0128: values are clamped to it.
    EXPECT_LT(moments.Matrix(0, 0, false)[0], 0.013 * 0.013);
    Moments wide(TapsOf(graph, plan.layers[0]));
    for (const auto& sample : samples) wide.Add(graph, plan.layers[0], sample[0], {0.04, 0});
    const Tensor& w = *graph.constant(graph.nodes()[0].inputs[1]);
    const int64_t taps = w.elements() / 8;
    for (int64_t c = 0; c < 8; ++c) {
      const auto matrix = wide.Matrix(c / (8 / groups), 0, false);
      double have = 0;
      for (int64_t i = 0; i < taps * taps; ++i)
        have += w.At(c * taps + i / taps) * w.At(c * taps + i % taps) * matrix[i];
      EXPECT_NEAR(have / (squares[c] / count), 1, 0.03) << groups << " " << c;
    }
  }
}

TEST(RoundWeights, PaysWhereInputsMoveTogether) {
  // Sixteen channels that are mixtures of three.
  for (const bool transposed : {false, true}) {
    Graph g("g");
    const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 3}});
    const ValueId mix = g.AddConstant("mix", RandomTensor({3, 48}, 1, 5));
    const ValueId m = g.Emit(Op::kTanh, "tanh", {g.Emit(Op::kMatMul, "mixed", {x, mix}, {})}, {});
    Tensor weights = RandomTensor(transposed ? Shape{6, 48} : Shape{48, 6}, 0.1f, 6);
    for (int64_t i = 0; i < weights.elements(); i += 7) weights.mutable_data<float>()[i] *= 20;
    const ValueId w = g.AddConstant("w", weights);
    g.AddOutput("y", g.Emit(Op::kGemm, "layer", {m, w},
                            {{"alpha", 1.0},
                             {"beta", 1.0},
                             {"trans_a", int64_t{0}},
                             {"trans_b", int64_t{transposed ? 1 : 0}}}));
    const auto samples = NormalSamples(g, 256, 0);
    Calibration calibration = On(samples);
    calibration.hold_back = 4;
    const auto decibels = [&](bool by_outputs) {
      const Result result =
          Quantise(g, calibration, {.method = Method::kMinMax, .round_by_outputs = by_outputs});
      const Trial trial(result.real, result.plan, result.quantised, calibration.Held(), 100);
      Setting setting = SettingOf(result.plan, result.quantised);
      for (auto& scale : setting.scales) scale.reset();
      return trial.Decibels(setting);  // the weights' noise alone
    };
    EXPECT_GT(decibels(true), decibels(false) + 3);
  }
}

}  // namespace
}  // namespace vta::compiler::quantize
