// Samples held back, trials of scales, ranges by what they do, outputs of mixed sizes, and which
// layers cost most.
#include "compiler/quantize/search_ranges.h"

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

std::vector<Judge> Outputs(const Graph& graph) {
  std::vector<Judge> outputs;
  for (size_t i = 0; i < graph.outputs().size(); ++i) outputs.push_back({kNone, i});
  return outputs;
}

TEST(Trial, HasTheNoiseOfTheQuantisedNetworkAndLessWithoutCodes) {
  const Graph graph = TwoLayers();
  const auto samples = NormalSamples(graph, 12, 0.2f);
  const Calibration calibration = On(samples);
  for (const bool unsigned_codes : {false, true}) {
    const Result result =
        Quantise(graph, calibration, {.method = Method::kMinMax, .unsigned_codes = unsigned_codes});
    const Trial trial(result.plan, result.quantised, Outputs(graph), calibration, 100);
    const Judged want = trial.RunOther(result.real);
    const auto decibels = [&](const Setting& setting) {
      return Decibels(NoiseBetween(want, trial.Run(setting)));
    };
    Setting setting = trial.setting();
    EXPECT_EQ(setting.biases.size(), 2u);
    const Noise noise = OutputNoise(result.real, result.quantised.graph, calibration, Evaluator());
    EXPECT_NEAR(decibels(setting), noise.decibels(), 0.3);
    // Coarser codes of the middle show; none leave the weights' error.
    setting.scales[1]->scale *= 8;
    EXPECT_LT(decibels(setting), noise.decibels() - 6);
    EXPECT_GT(decibels(Unrounded(setting)), noise.decibels() + 2);
  }
}

TEST(Judges, AreLargeOutputsTheLastLargeTensorsAndTheHeadsBehindThem) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 4, 32, 32}});
  const Attributes conv = {{"strides", std::vector<int64_t>{1, 1}},
                           {"pads", std::vector<int64_t>{0, 0, 0, 0}},
                           {"dilations", std::vector<int64_t>{1, 1}},
                           {"groups", int64_t{1}}};
  const auto weights = [&](const std::string& name, Shape shape) {
    return g.AddConstant(name, RandomTensor(shape, 1, 5));
  };
  const ValueId first = g.Emit(Op::kConv2d, "first", {x, weights("v", {4, 4, 1, 1})}, conv);
  const ValueId second = g.Emit(Op::kConv2d, "second", {first, weights("w", {8, 4, 1, 1})}, conv);
  const ValueId mean = g.Emit(Op::kReduceMean, "mean", {second},
                              {{"axes", std::vector<int64_t>{2, 3}}, {"keepdims", int64_t{0}}});
  const ValueId logits = g.Emit(Op::kMatMul, "logits", {mean, weights("u", {8, 3})}, {});
  g.AddOutput("y", g.Emit(Op::kSoftmax, "softmax", {logits}, {{"axis", int64_t{1}}}));
  const ValueId map = g.Emit(Op::kSoftmax, "map", {second}, {{"axis", int64_t{1}}});
  g.AddOutput("map", map);
  const Plan plan = MakePlan(g);
  const Judges judges = JudgesOf(g, plan);
  ASSERT_EQ(judges.all.size(), 3u);
  EXPECT_EQ(judges.large, 2u);
  EXPECT_EQ(plan.points[judges.all[0].point].layer, "second");
  EXPECT_EQ(RealValue(g, plan, judges.all[0]), second);
  EXPECT_EQ(judges.all[1].point, kNone);
  EXPECT_EQ(RealValue(g, plan, judges.all[1]), map);
  EXPECT_EQ(plan.points[judges.all[2].point].layer, "logits");
  EXPECT_TRUE(judges.outputs.empty());
}

/// What a function makes of a large tensor is told apart, too: the geometric mean of both.
TEST(Judges, AreLargeOutputsBehindFunctions) {
  Graph g("g");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 4096}});
  const auto all = [&](const Shape& shape, float value) {
    Tensor tensor(TensorType{DType::kFloat32, shape});
    std::ranges::fill(tensor.mutable_data<float>(), value);
    return g.AddConstant("w", tensor);
  };
  const ValueId a = g.Emit(Op::kMatMul, "a", {x, all({4096, 1}, 0.01F)}, {});
  const ValueId b = g.Emit(Op::kMatMul, "b", {a, all({1, 4096}, 0.5F)}, {});
  g.AddOutput("b", b);
  Graph mask = g;
  g.AddOutput("y", g.Emit(Op::kExp, "y", {b}, {}));
  const Plan plan = MakePlan(g);
  const Judges judges = JudgesOf(g, plan);
  ASSERT_EQ(judges.large, 1u);
  EXPECT_EQ(RealValue(g, plan, judges.all[0]), b);
  ASSERT_EQ(judges.outputs.size(), 1u);
  EXPECT_EQ(judges.outputs[0], (Judge{kNone, 1}));
  // Codes of a are halves: 1.2 becomes 1.0, b 0.5 in place of 0.6.
  std::vector<CodeScale> scales(plan.points.size(), {0.004F, 0});
  for (size_t p = 0; p < plan.points.size(); ++p)
    if (plan.points[p].value == a || plan.points[p].value == x)
      scales[p] = {plan.points[p].value == a ? 0.5F : 1.0F, 0};
  Tensor sample(g.type(x));
  sample.mutable_data<float>()[0] = 120;
  const std::vector<std::vector<Tensor>> samples = {{sample}};
  const double noise =
      JudgedNoise(g, plan, Insert(g, plan, {.points = scales}), judges, On(samples));
  EXPECT_NEAR(noise, (0.1 / 0.6) * (1 - std::exp(-0.1)), 1e-4);
  // A mask that noise does not reach tells nothing: the order is that of b.
  const ValueId low = mask.AddConstant("low", Tensor::Of<float>({1, 1}, {-9}));
  mask.AddOutput("mask", mask.Emit(Op::kLess, "mask", {b, low}, {}));
  const Plan masked = MakePlan(mask);
  ASSERT_EQ(masked.points.size(), plan.points.size());
  const auto noise_of = [&](float scale_of_a) {
    for (size_t p = 0; p < masked.points.size(); ++p)
      if (masked.points[p].value == a) scales[p] = {scale_of_a, 0};
    return JudgedNoise(mask, masked, Insert(mask, masked, {.points = scales}),
                       JudgesOf(mask, masked), On(samples));
  };
  // Of 0.6 come 0.448, the nearest code below 0.45, or 0.5.
  EXPECT_NEAR(noise_of(0.9F) / noise_of(0.5F), 0.152 * 0.152 / (0.1 * 0.1), 1e-3);
}

/// Outliers of x, 2,000 among values of 1, are multiplied by 0, those of z come out.
struct Outliers {
  Graph graph{"g"};
  std::vector<std::vector<Tensor>> samples;

  Outliers() {
    const ValueId x = graph.AddInput("x", {DType::kFloat32, {1, 64}});
    const ValueId z = graph.AddInput("z", {DType::kFloat32, {1, 64}});
    Tensor narrow(TensorType{DType::kFloat32, {64, 4}}), wide = narrow;
    for (int64_t i = 0; i < 256; ++i) {
      narrow.mutable_data<float>()[i] = i < 4 ? 0 : std::sin(static_cast<float>(i));
      wide.mutable_data<float>()[i] = std::cos(static_cast<float>(i));
    }
    const ValueId a = graph.Emit(Op::kMatMul, "a", {x, graph.AddConstant("v", narrow)}, {});
    const ValueId b = graph.Emit(Op::kMatMul, "b", {z, graph.AddConstant("w", wide)}, {});
    graph.AddOutput("a", a);
    graph.AddOutput("b", b);
    samples = NormalSamples(graph, 32, 0);
    for (size_t s = 0; s < samples.size(); ++s) {
      samples[s][0].mutable_data<float>()[0] = 2000;
      samples[s][1].mutable_data<float>()[5] = s % 3 == 0 ? 50 : -50;  // no bias takes that back
    }
  }
};

TEST(SearchRanges, CutsOffWhatDoesNothingAndKeepsWhatComesOut) {
  const Outliers net;
  const Calibration calibration = On(net.samples);
  const Result result = Quantise(net.graph, calibration, {.method = Method::kMinMax});
  const Judges judges = JudgesOf(result.real, result.plan);
  const Trial trial(result.plan, result.quantised, judges.all, calibration, 8);
  const auto point = [&](const std::string& layer) {
    for (size_t p = 0; p < result.plan.points.size(); ++p)
      if (result.plan.points[p].layer == layer) return p;
    throw std::runtime_error(layer);
  };
  std::vector<Range> ranges;
  for (const Observation& seen : result.observed)
    ranges.push_back(ChooseRange(seen.values, Method::kMinMax));
  const std::vector<Range> before = ranges;
  int64_t told = 0;
  SearchRanges(trial, result.plan, judges, {10'000, [&](auto, int64_t, int64_t) { ++told; }},
               before, &ranges);
  EXPECT_GT(told, 100);
  EXPECT_LT(ranges[point("x")].high, 60);
  EXPECT_GT(ranges[point("x")].high, 1);
  EXPECT_GE(ranges[point("z")].high, 49);
  EXPECT_LE(ranges[point("z")].low, -49);
  // Without runs what costs much has other ranges.
  const std::vector<Range> others(before.size(), Range{-1, 1});
  ranges = before;
  SearchRanges(trial, result.plan, judges, {0, {}}, others, &ranges);
  EXPECT_EQ(ranges[point("x")], others[0]);
}

TEST(SearchRanges, AreBetterThanOneMethodForAll) {
  const Outliers net;
  Calibration calibration = On(net.samples);
  calibration.hold_back = HoldBackOf(std::ssize(net.samples));
  const auto worse = [&](Method method) {
    const Result result = Quantise(net.graph, calibration, {.method = method, .percentile = 98});
    double least = kMostDecibels;
    for (int output = 0; output < 2; ++output) {
      Noise noise;
      for (const size_t s : calibration.Held().Chosen())
        AddNoise(Evaluate(net.graph, net.samples[s])[output],
                 Evaluate(result.quantised.graph, net.samples[s])[output], &noise);
      least = std::min(least, noise.decibels());
    }
    return least;
  };
  const double searched = worse(Method::kAuto);
  EXPECT_GT(searched, 15);
  for (const Method method : {Method::kMinMax, Method::kPercentile, Method::kMse})
    EXPECT_GT(searched, worse(method) + 10);
}

TEST(SearchRanges, LargeNetworksAreTriedLessOften) {
  // Products, and the values of x, of what is between, and of y.
  EXPECT_EQ(WorkOf(TwoLayers(), MakePlan(TwoLayers())), 4 * 4 + 4 * 2 + 40 * (4 + 4 + 2));
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
