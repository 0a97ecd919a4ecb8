// Samples held back, trials of scales, a method for each tensor, outputs of mixed sizes, and which
// layers cost most.
#include "compiler/quantize/mix.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/quantize/costliest.h"
#include "compiler/quantize/error.h"
#include "compiler/quantize/mixed_outputs.h"
#include "tests/unit/compiler/quantize/quantise_testing.h"

namespace vta::compiler::quantize {
namespace {

using Indices = std::vector<size_t>;

TEST(HoldBack, IsTheLastOfFourOrOfFewer) {
  EXPECT_EQ(HoldBackOf(1), 0);
  EXPECT_EQ(HoldBackOf(2), 2);
  EXPECT_EQ(HoldBackOf(3), 3);
  EXPECT_EQ(HoldBackOf(100), 4);
  const std::vector<std::vector<Tensor>> samples(9);
  Calibration calibration = On(samples);
  EXPECT_EQ(calibration.Chosen().size(), 9u);
  EXPECT_EQ(calibration.Held().Chosen().size(), 9u);
  calibration.hold_back = 4;
  EXPECT_EQ(calibration.Chosen(), (Indices{0, 1, 2, 4, 5, 6, 8}));
  EXPECT_EQ(calibration.Held().Chosen(), (Indices{3, 7}));
}

TEST(HoldBack, WhatIsHeldBackSetsNoRange) {
  const Graph graph = Parse(R"(%x : float32[1,2] = input
%w : float32[2,1] = const [1.0,2.0]
%y : float32[1,1] = matmul(%x, %w) "layer"
output "y" = %y
)");
  const std::vector<std::vector<Tensor>> samples = {{Tensor::Of<float>({1, 2}, {-1, 1})},
                                                    {Tensor::Of<float>({1, 2}, {0, 9})}};
  Calibration calibration = On(samples);
  calibration.hold_back = 2;
  const Result result = Quantise(graph, calibration, {.method = Method::kMinMax});
  EXPECT_NEAR(result.scales[0].scale, 2.0 / 255, 1e-6);
}

/// Two products in a row; the middle one of the weights of each is 1.
Graph TwoLayers() {
  return Parse(R"(%x : float32[1,4] = input
%v : float32[4,4] = const [1.0,0.25,0.0,0.5,0.0,1.0,-0.5,0.0,0.25,0.0,1.0,0.0,0.0,0.75,0.0,1.0]
%b : float32[4] = const [0.5,-0.5,0.25,0.0]
%w : float32[4,2] = const [1.0,-0.25,0.5,1.0,-0.5,0.75,1.0,0.25]
%h : float32[1,4] = gemm(%x, %v, %b) {alpha=1.0, beta=1.0, trans_a=0, trans_b=0} "first"
%r : float32[1,4] = relu(%h) "relu"
%y : float32[1,2] = matmul(%r, %w) "second"
output "y" = %y
)");
}

TEST(Trial, HasTheNoiseOfTheQuantisedNetworkAndLessWithoutCodes) {
  const Graph graph = TwoLayers();
  const auto samples = NormalSamples(graph, 12, 0.2f);
  const Calibration calibration = On(samples);
  for (const bool unsigned_codes : {false, true}) {
    const Result result =
        Quantise(graph, calibration, {.method = Method::kMinMax, .unsigned_codes = unsigned_codes});
    const Trial trial(result.real, result.plan, result.quantised, calibration, 100);
    Setting setting = SettingOf(result.plan, result.quantised);
    EXPECT_EQ(setting.biases.size(), 2u);
    const Noise noise = OutputNoise(result.real, result.quantised.graph, calibration, Evaluator());
    EXPECT_NEAR(trial.Decibels(setting), noise.decibels(), 0.3);
    // Coarser codes of the middle show; none leave the weights' error.
    setting.scales[1]->scale *= 8;
    EXPECT_LT(trial.Decibels(setting), noise.decibels() - 6);
    for (auto& scale : setting.scales) scale.reset();
    EXPECT_GT(trial.Decibels(setting), noise.decibels() + 2);
  }
}

TEST(Gain, IsInDecibelsWithTheErrorOfOtherSamples) {
  // Half of the noise of each sample: certain.
  const Outcome before = {{{100, 2}}, {{100, 4}}, {{100, 6}}};
  const Gain half = GainOf({{{100, 1}}, {{100, 2}}, {{100, 3}}}, before);
  EXPECT_NEAR(half.mean, 10 * std::log10(2), 1e-9);
  EXPECT_NEAR(half.error, 0, 1e-9);
  // One of three gains, the others lose a little.
  const Gain chance = GainOf({{{100, 2.2}}, {{100, 4.4}}, {{100, 1}}}, before);
  EXPECT_NEAR(chance.mean, 10 * std::log10(12 / 7.6), 1e-9);
  double mean = 0, squares = 0;
  const double without[] = {10 * std::log10(10 / 5.4), 10 * std::log10(8 / 3.2),
                            10 * std::log10(6 / 6.6)};
  for (const double gain : without) mean += gain / 3;
  for (const double gain : without) squares += (gain - mean) * (gain - mean);
  EXPECT_NEAR(chance.error, std::sqrt(squares * 2 / 3), 1e-9);
  EXPECT_LT(chance.mean, chance.error);
}

TEST(Mix, GivesEachTensorTheMethodThatTheOutputsLike) {
  // Those outliers of x, 2,000 among values of 1, are multiplied by 0, those of z come out.
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 64}});
  const ValueId z = g.AddInput("z", {DType::kFloat32, {1, 64}});
  Tensor narrow(TensorType{DType::kFloat32, {64, 4}}), wide = narrow;
  for (int64_t i = 0; i < 256; ++i) {
    narrow.mutable_data<float>()[i] = i < 4 ? 0 : std::sin(static_cast<float>(i));
    wide.mutable_data<float>()[i] = std::cos(static_cast<float>(i));
  }
  const ValueId a = g.Emit(Op::kMatMul, "a", {x, g.AddConstant("v", narrow)}, {});
  const ValueId b = g.Emit(Op::kMatMul, "b", {z, g.AddConstant("w", wide)}, {});
  g.AddOutput("a", a);
  g.AddOutput("b", b);
  auto samples = NormalSamples(g, 32, 0);
  for (size_t s = 0; s < samples.size(); ++s) {
    samples[s][0].mutable_data<float>()[0] = 2000;
    samples[s][1].mutable_data<float>()[5] = s % 3 == 0 ? 50 : -50;  // no bias takes that back
  }
  Calibration calibration = On(samples);
  calibration.hold_back = HoldBackOf(std::ssize(samples));
  const auto quantised = [&](Method method) {
    return Quantise(g, calibration, {.method = method, .percentile = 98});
  };
  const auto worse = [&](const Result& result) {
    double least = kMostDecibels;
    for (int output = 0; output < 2; ++output) {
      Noise noise;
      for (const size_t s : calibration.Held().Chosen())
        AddNoise(Evaluate(g, samples[s])[output],
                 Evaluate(result.quantised.graph, samples[s])[output], &noise);
      least = std::min(least, noise.decibels());
    }
    return least;
  };
  const Result mixed = quantised(Method::kAuto);
  EXPECT_EQ(mixed.plan.points[0].layer, "x");
  EXPECT_EQ(mixed.methods[0], Method::kPercentile);
  EXPECT_NE(mixed.methods[2], Method::kPercentile) << mixed.plan.points[2].layer;
  EXPECT_GT(worse(mixed), 15);
  for (const Method method : {Method::kMinMax, Method::kPercentile, Method::kMse})
    EXPECT_GT(worse(mixed), worse(quantised(method)) + 10);
}

TEST(Mix, LargeNetworksAreTriedLessOften) {
  EXPECT_EQ(MacsOf(TwoLayers(), MakePlan(TwoLayers())), 4 * 4 + 4 * 2);
  EXPECT_GT(RunsFor(1'000'000), RunsFor(1'000'000'000));
  EXPECT_GE(RunsFor(int64_t{1} << 50), 64);
}

/// Boxes of up to 400 and scores below 1, together.
constexpr char kParts[] = R"(%x : float32[1,4] = input
%v : float32[4,4] = const [90.0,10.0,0.0,50.0,0.0,80.0,-50.0,0.0,20.0,0.0,90.0,0.0,0.0,70.0,0.0,90.0]
%w : float32[4,2] = const [1.0,-0.25,0.5,1.0,-0.5,0.75,1.0,0.25]
%b : float32[1,4] = matmul(%x, %v) "boxes"
%l : float32[1,2] = matmul(%x, %w) "logits"
%s : float32[1,2] = sigmoid(%l) "scores"
%c : float32[1,6] = concat(%b, %s) {axis=1} "both"
)";

Graph Detector() {
  return Parse(StrCat(kParts, R"(%d : float32[1,12] = concat(%c, %c) {axis=1} "twice"
%y : float32[12] = reshape(%d) {shape=[12]} "flat"
output "y" = %y
)"));
}

TEST(MixedOutputs, AreThoseWithPartsOfOtherSizes) {
  const Graph graph = Detector();
  const auto samples = NormalSamples(graph, 12, 0.2f);
  const Plan plan = MakePlan(graph);
  const auto observed = Observe(graph, plan.points, On(samples));
  EXPECT_EQ(MixedOutputs(graph, plan, observed), (std::set<std::string>{"c", "d"}));
  const Result result = Quantise(graph, On(samples), {});
  EXPECT_EQ(result.kept, (std::set<std::string>{"c", "d"}));
  for (const auto& sample : samples) {
    const Tensor want = Evaluate(graph, sample)[0],
                 have = Evaluate(result.quantised.graph, sample)[0];
    for (const int64_t score : {4, 5, 10, 11}) EXPECT_NEAR(have.At(score), want.At(score), 0.02);
  }
}

TEST(MixedOutputs, AreNoneWhereALayerReadsThemOrPartsAreAlike) {
  for (const char* tail :
       {R"(%k : float32[6,2] = const [1.0,1.0,0.5,1.0,0.5,1.0,0.5,1.0,0.5,1.0,1.0,1.0]
%y : float32[1,2] = matmul(%c, %k) "reads"
output "y" = %y
)",
        R"(%y : float32[1,8] = concat(%b, %b) {axis=1} "alike"
output "y" = %y
)"}) {
    const Graph graph = Parse(StrCat(kParts, tail));
    const auto samples = NormalSamples(graph, 12, 0.2f);
    const Plan plan = MakePlan(graph);
    EXPECT_TRUE(MixedOutputs(graph, plan, Observe(graph, plan.points, On(samples))).empty());
  }
}

TEST(Costliest, AreTheCodesThatTheOutputsWouldGainMostWithout) {
  const Graph graph = TwoLayers();
  const auto samples = NormalSamples(graph, 12, 0.2f);
  const Calibration calibration = On(samples);
  Result result;
  result.real = graph;
  result.plan = MakePlan(graph);
  result.quantised = Insert(graph, result.plan, {.points = {{0.05, 0}, {0.5, -128}, {0.05, 0}}});
  const std::vector<Cost> costs = Costliest(result, calibration, 2);
  ASSERT_FALSE(costs.empty());
  EXPECT_LE(costs.size(), 2u);
  EXPECT_EQ(costs[0].layer, "first");
  EXPECT_GT(costs[0].gain, 3);
  EXPECT_LT(costs[0].alone, 30);
}

}  // namespace
}  // namespace vta::compiler::quantize
