// Signal to noise against the formula, what a layer does wrong by itself, corrected biases and
// equalised channels.
#include "compiler/quantize/error.h"

#include <cmath>

#include "compiler/quantize/bias_correction.h"
#include "compiler/quantize/equalise.h"
#include "compiler/quantize/float_form.h"
#include "tests/support/error_of.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

TEST(Decibels, OfAnOutcomeAreTheMeanOverTheOutputsOfAllSamples) {
  // 20 and 30 dB, from two samples of which neither has that.
  EXPECT_DOUBLE_EQ(Decibels(Outcome{{{60, 1}, {1, 0.001}}, {{140, 1}, {1, 0.001}}}), 25);
  EXPECT_EQ(Decibels(Outcome{}), kMostDecibels);
}

TEST(Decibels, OfKnownRatios) {
  EXPECT_DOUBLE_EQ(Decibels(100, 1), 20);
  EXPECT_DOUBLE_EQ(Decibels(1, 2), 10 * std::log10(0.5));
  EXPECT_EQ(Decibels(1, 0), kMostDecibels);
  EXPECT_EQ(Decibels(0, 1), -kMostDecibels);
}

/// Two products in a row. Codes of x are whole numbers, of h and y multiples of 4 and 10.
Graph Chain() {
  return Parse(R"(%x : float32[1,1] = input
%v : float32[1,1] = const [1.0]
%w : float32[1,1] = const [2.0]
%h : float32[1,1] = matmul(%x, %v) "first"
%y : float32[1,1] = matmul(%h, %w) "second"
output "y" = %y
)");
}

TEST(Noise, OfALayerAloneAndOfTheWhole) {
  const Graph graph = Chain();
  const Inserted quantised = Insert(graph, MakePlan(graph), {.points = {{1, 0}, {4, 0}, {10, 0}}});
  const std::vector<std::vector<Tensor>> samples = {{Tensor::Of<float>({1, 1}, {9})},
                                                    {Tensor::Of<float>({1, 1}, {3})}};
  const auto own = OwnNoise(graph, quantised, On(samples));
  const auto whole = WholeNoise(graph, quantised, On(samples), Evaluator());
  ASSERT_EQ(own.size(), 3u);
  // x = 9: h is 9, as codes 8; y is 18: of h's codes 16, as codes 20, in either case.
  // x = 3: h is 3, as codes 4; y is 6: of h's codes 8, as codes 10.
  EXPECT_DOUBLE_EQ(own[1].signal, 81 + 9);
  EXPECT_DOUBLE_EQ(own[1].noise, 1 + 1);
  EXPECT_DOUBLE_EQ(own[2].signal, 18 * 18 + 6 * 6);
  EXPECT_DOUBLE_EQ(own[2].noise, 4 + 16);
  EXPECT_DOUBLE_EQ(whole[0].noise, 0);
  EXPECT_DOUBLE_EQ(whole[2].noise, 4 + 16);
  const Noise outputs = OutputNoise(graph, quantised.graph, On(samples), Evaluator());
  EXPECT_DOUBLE_EQ(outputs.noise, 20);
  EXPECT_DOUBLE_EQ(outputs.decibels(), 10 * std::log10(360.0 / 20));
}

TEST(Noise, OfALayerAloneLeavesOutWhatCameBefore) {
  const Graph graph = Chain();
  const Inserted quantised = Insert(graph, MakePlan(graph), {.points = {{8, 0}, {1, 0}, {1, 0}}});
  const std::vector<std::vector<Tensor>> samples = {{Tensor::Of<float>({1, 1}, {10})}};
  // x is 10, as codes 8: the first layer is 2 off, and the second 4; alone, it is right.
  EXPECT_DOUBLE_EQ(OwnNoise(graph, quantised, On(samples))[2].noise, 0);
  EXPECT_DOUBLE_EQ(WholeNoise(graph, quantised, On(samples), Evaluator())[2].noise, 16);
}

TEST(BiasCorrections, AreWhatRoundedWeightsMoveTheMeanBy) {
  const Graph graph = Parse(R"(%x : float32[1,2] = input
%w : float32[2,2] = const [127.0,127.0,0.4,-1.3]
%y : float32[1,2] = matmul(%x, %w) "layer"
output "y" = %y
)");
  // Scales of the weights are 1: 0.4 becomes 0, and -1.3 becomes -1. The second input has mean 10.
  std::vector<std::vector<Tensor>> samples;
  for (const float second : {9, 10, 11})
    samples.push_back({Tensor::Of<float>({1, 2}, {1, second})});
  const Plan plan = MakePlan(graph);
  const Inserted quantised = Insert(graph, plan, {.points = {{1, 0}, {2, 0}}});
  const auto added = BiasCorrections(graph, plan, quantised, On(samples));
  ASSERT_EQ(added.size(), 1u);
  EXPECT_NEAR(added.begin()->second[0], 0.4 * 10, 1e-5);
  EXPECT_NEAR(added.begin()->second[1], -0.3 * 10, 1e-5);
  const Inserted corrected = Insert(graph, plan, {.points = {{1, 0}, {2, 0}}, .bias_added = added});
  for (const auto& [node, rest] : BiasCorrections(graph, plan, corrected, On(samples)))
    for (const float value : rest) EXPECT_NEAR(value, 0, 1e-5);
}

/// A convolution, a relu, and a second convolution of `groups` groups.
Graph TwoConvolutions(const std::string& shape, int groups, const std::string& weights) {
  return Parse(StrCat(R"(%x : float32[1,2,3,3] = input
%v : float32[2,2,1,1] = const [4.0,0.5,0.01,-0.02]
%b : float32[2] = const [1.0,0.01]
%w : float32)",
                      shape, " = const ", weights, R"(
%a : float32[1,2,3,3] = conv2d(%x, %v, %b) {dilations=[1,1], groups=1, pads=[0,0,0,0], strides=[1,1]} "a"
%r : float32[1,2,3,3] = relu(%a) "r"
%y : float32[1,2,3,3] = conv2d(%r, %w) {dilations=[1,1], groups=)",
                      groups, R"(, pads=[0,0,0,0], strides=[1,1]} "y"
output "y" = %y
)"));
}

TEST(Equalise, MakesChannelsBeforeADepthwiseConvolutionEquallyLarge) {
  const Graph graph = TwoConvolutions("[2,1,1,1]", 2, "[3.0,-5.0]");
  const auto samples = NormalSamples(graph, 6, 0.5f);
  const Plan plan = MakePlan(graph);
  const auto before = Observe(graph, plan.points, On(samples));
  int64_t layers = 0;
  const Graph equal = Equalise(graph, plan, before, &layers);
  EXPECT_EQ(layers, 1);
  const auto after = Observe(equal, MakePlan(equal).points, On(samples));
  EXPECT_GT(before[1].channels[0] / before[1].channels[1], 50);
  EXPECT_FLOAT_EQ(after[1].channels[0], before[1].channels[0]);
  EXPECT_FLOAT_EQ(after[1].channels[1], before[1].channels[0]);
  for (const auto& sample : samples) {
    const Tensor want = Evaluate(graph, sample)[0], have = Evaluate(equal, sample)[0];
    for (int64_t i = 0; i < want.elements(); ++i)
      EXPECT_NEAR(have.At(i), want.At(i), 1e-5 * (1 + std::abs(want.At(i))));
  }
}

TEST(Equalise, LeavesTheRootToADenseConvolution) {
  const Graph graph = TwoConvolutions("[2,2,1,1]", 1, "[3.0,1.0,-2.0,0.5]");
  const auto samples = NormalSamples(graph, 6, 0.5f);
  const Plan plan = MakePlan(graph);
  const auto before = Observe(graph, plan.points, On(samples));
  const Graph equal = Equalise(graph, plan, before);
  const auto after = Observe(equal, MakePlan(equal).points, On(samples));
  // Channels have ranges r and their weights w: both become sqrt(r w), times a common factor.
  const double first = std::sqrt(before[1].channels[0] * 3.0);
  const double second = std::sqrt(before[1].channels[1] * 1.0);
  EXPECT_NEAR(after[1].channels[0] / after[1].channels[1], first / second, 1e-4);
  EXPECT_FLOAT_EQ(std::max(after[1].channels[0], after[1].channels[1]), before[1].channels[0]);
}

TEST(FloatForm, IsTheNetworkWithoutCodesBetweenItsLayers) {
  const Graph graph = Chain();
  const Graph quantised =
      Insert(graph, MakePlan(graph), {.points = {{1, 0}, {4, 0}, {10, 0}}}).graph;
  EXPECT_TRUE(IsQuantised(quantised));
  EXPECT_FALSE(IsQuantised(graph));
  const FloatForm form = FloatFormOf(quantised);
  const std::vector<Tensor> input = {Tensor::Of<float>({1, 1}, {9.3f})};
  EXPECT_NEAR(Evaluate(form.real, input)[0].At(0), 18.6, 1e-5);
  ASSERT_EQ(form.quantised.pairs.size(), 3u);
  EXPECT_EQ(form.quantised.pairs[1].layer, "first");
  // Without the codes of the first layer: x is 9 of 9.3, y 20 of 18 through codes.
  const Graph kept = WithoutCodesOf(quantised, {"second", "x"});
  EXPECT_NEAR(Evaluate(kept, input)[0].At(0), 16, 1e-5);
  EXPECT_EQ(ErrorOf([&] { FloatFormOf(graph); }),
            "g: no tensor passes through codes: nothing to compare");
}

}  // namespace
}  // namespace vta::compiler::quantize
