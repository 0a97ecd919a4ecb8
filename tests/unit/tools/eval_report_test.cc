// What vta eval says of a layer: causes in numbers, from values that are known.
#include "tools/vta/accuracy/eval_report.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

quantize::Observation Seen(const std::vector<float>& values, std::vector<float> channels = {}) {
  quantize::Observation seen;
  seen.values.Add(values);
  seen.channels = std::move(channels);
  return seen;
}

/// 1000 values of [0, 1), evenly.
std::vector<float> Even() {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 1000;
  return values;
}

TEST(Explain, ValuesThatCodesDoNotReach) {
  // Codes end at 0.51: 0.511 and what follows lies outside, 49 % of the values, which makes nearly
  // all of the noise.
  LayerError error{"x", {.signal = 333, .noise = 20}, {}};
  Explain(Seen(Even()), {.scale = 0.002, .zero_point = -128}, {}, &error);
  EXPECT_NEAR(error.clipped, 48.8, 0.2);
  double noise = 0;
  for (const float value : Even())
    if (value > 0.51f) noise += (value - 0.51) * (value - 0.51);
  EXPECT_NEAR(error.clipping_share, std::min(1.0, noise / 20), 0.01);
  EXPECT_EQ(error.advice.substr(0, 48), "clips 49 % of its values: more calibration data:");
  // Of a network that somebody else quantised, nobody here chooses the method.
  Explain(Seen(Even()), {.scale = 0.002, .zero_point = -128}, {.quantised_here = false}, &error);
  EXPECT_EQ(error.advice.substr(0, 41), "clips 49 % of its values: its codes gain ");
}

TEST(Explain, ChannelsThatDiffer) {
  // The codes' own noise, scale^2 / 12 of each value, is all that there is.
  const double scale = 1.0 / 255;
  LayerError error{"x", {.signal = 3, .noise = 1000 * scale * scale / 12}, {}};
  const auto seen = Seen(Even(), {0.1f, 0.2f, 1.0f, 0.15f, 0.2f});
  Explain(seen, {.scale = scale, .zero_point = -128}, {}, &error);
  EXPECT_NEAR(error.codes_share, 1, 0.05);
  EXPECT_FLOAT_EQ(error.spread, 5);
  EXPECT_EQ(error.clipped, 0);
  EXPECT_EQ(error.advice, "channels 5.0-fold apart: --equalise on");
  Explain(seen, {.scale = scale, .zero_point = -128}, {.equalised = true}, &error);
  EXPECT_EQ(error.advice, "channels 5.0-fold apart: keep it in float");
}

TEST(Explain, LayersThatAreGoodOrLoseElsewhere) {
  LayerError error{"x", {.signal = 1e6, .noise = 1}, {}};
  Explain(Seen(Even()), {.scale = 1.0 / 255, .zero_point = -128}, {}, &error);
  EXPECT_EQ(error.advice, "");
  error.own = {.signal = 10, .noise = 1};
  Explain(Seen(Even()), {.scale = 1.0 / 255, .zero_point = -128}, {}, &error);
  EXPECT_LT(error.codes_share, 0.01);
  EXPECT_EQ(error.advice, "its weights and what it reads lose most: keep it in float");
}

TEST(EvalText, NamesRunsLayersAndTrials) {
  EvalReport report{.model = "m", .config = "default", .samples = 3};
  report.runs = {{"float", 99.5}, {"int8", 98.25, 97, 31.26}};
  report.layers = {{"conv", {.signal = 100, .noise = 1}, {.signal = 10, .noise = 1}}};
  report.layers[0].advice = "do this";
  report.cost = RunCost{12'345, 0.12345, {{kHostCpus[0], 1, 0.12345}}};
  report.trial_samples = 2;
  report.trial_base = 20;
  report.trials = {{"--keep-float conv", 21.5}};
  const std::string text = EvalText(report);
  EXPECT_NE(text.find("float       99.50\n"), std::string::npos) << text;
  EXPECT_NE(text.find("int8        98.25         97.00        31.3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("conv       20.0      10.0  0 .. 0                  1.0  do this\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("      21.5  +1.5  --keep-float conv\n"), std::string::npos) << text;
  EXPECT_NE(text.find("12,345 cycles on the accelerator: 0.123 ms\nms on the host, by a model (at "
                      "double, at half its rates), beside 0.123 on the accelerator:\n  Cortex-A9 "
                      "at 650 MHz: 1.000 (0.500, 2.000); one run "),
            std::string::npos)
      << text;
  const Json json = EvalJson(report);
  EXPECT_EQ(*json.Find("cycles")->as_int(), 12'345);
  EXPECT_EQ(*json.Find("hosts")->as_array()->at(0).Find("host_ms")->as_double(), 1);
  EXPECT_EQ(*json.Find("layers")->as_array()->at(0).Find("alone_db")->as_double(), 20);
}

}  // namespace
}  // namespace vta::tools
