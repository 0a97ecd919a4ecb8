#include "tools/vta/accuracy/eval_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/support/plural.h"
#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

/// Below this, a layer's own error is worth a word.
constexpr double kGoodDecibels = 35;

struct Outside {
  double count = 0, noise = 0;
};

Outside OutsideOf(const quantize::Histogram& values, const quantize::Range& codes, double step) {
  Outside outside;
  values.ForEach([&](double value, int64_t count) {
    const double past = std::max(codes.low - value, value - codes.high);
    if (past <= step / 2) return;
    outside.count += static_cast<double>(count);
    outside.noise += static_cast<double>(count) * past * past;
  });
  return outside;
}

double Spread(std::vector<float> channels) {
  if (channels.size() < 2) return 1;
  const float largest = *std::ranges::max_element(channels);
  std::ranges::nth_element(channels, channels.begin() + std::ssize(channels) / 2);
  const float middle = channels[channels.size() / 2];
  return middle > 0 ? largest / middle : 1;
}

/// A method whose range has less error on these values, and what to do to have it; "" for none.
std::string BetterRange(const quantize::Histogram& values, const quantize::Range& codes,
                        const Remedies& remedies) {
  constexpr double kWorthIt = 1, kNoise = 0.1;
  if (remedies.method == quantize::Method::kAuto) return "";  // what later layers get decided
  const double now = quantize::MeanSquareError(values, codes);
  const quantize::MethodInfo* best = nullptr;
  double most = kWorthIt;
  for (const quantize::MethodInfo& row : quantize::kMethods) {
    if (row.method == quantize::Method::kAuto) continue;
    const quantize::Range range = quantize::ChooseRange(values, row.method);
    const double gain = quantize::Decibels(now, quantize::MeanSquareError(values, range));
    // Of methods as good as each other the one in use.
    if (gain <= (row.method == remedies.method ? most - kNoise : most)) continue;
    most = gain;
    best = &row;
  }
  if (!best) return "";
  if (!remedies.quantised_here)
    return fmt::format("its codes gain {:.1f} dB with a range by {}", most, best->name);
  if (best->method == remedies.method)
    return fmt::format("more calibration data: its codes gain {:.1f} dB with these", most);
  return fmt::format("--calibration {}: its codes gain {:.1f} dB", best->name, most);
}

std::string AdviceFor(const LayerError& error, const std::string& better,
                      const Remedies& remedies) {
  constexpr double kMost = 0.5, kWide = 3;
  if (error.own.decibels() >= kGoodDecibels) return "";
  const std::string keep = error.is_node ? "keep it in float" : "keep what reads it in float";
  if (error.clipping_share > kMost)
    return fmt::format("clips {:.2g} % of its values: {}", error.clipped,
                       better.empty() ? keep : better);
  const bool may_equalise = remedies.quantised_here && !remedies.equalised;
  if (error.codes_share > kMost && error.spread > kWide)
    return fmt::format("channels {:.1f}-fold apart: {}", error.spread,
                       may_equalise ? "--equalise on" : keep);
  if (error.codes_share > kMost) return better.empty() ? "256 codes are few: " + keep : better;
  return "its weights and what it reads lose most: " + keep;
}

std::string Percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.2f}", *value) : "";
}

std::string Range(const quantize::Range& range) {
  return fmt::format("{:.4g} .. {:.4g}", range.low, range.high);
}

}  // namespace

void Explain(const quantize::Observation& seen, const compiler::CodeScale& scale,
             const Remedies& remedies, LayerError* error) {
  const quantize::Range codes = quantize::RangeOfScale(scale);
  const auto count = static_cast<double>(std::max<int64_t>(seen.values.count(), 1));
  const Outside outside = OutsideOf(seen.values, codes, scale.scale);
  error->range = {seen.values.min(), seen.values.max()};
  error->clipped = 100 * outside.count / count;
  error->spread = Spread(seen.channels);
  if (error->own.noise > 0) {
    const double of_codes = quantize::MeanSquareError(seen.values, codes) * count;
    error->clipping_share = std::min(outside.noise / error->own.noise, 1.0);
    error->codes_share = std::min(of_codes / error->own.noise, 1.0);
  }
  error->advice = AdviceFor(*error, BetterRange(seen.values, codes, remedies), remedies);
}

std::string EvalText(const EvalReport& report) {
  std::vector<std::vector<std::string>> rows = {{"", "accuracy %", "same class %", "outputs dB"}};
  for (const EvalRun& run : report.runs)
    rows.push_back({run.name, Percent(run.accuracy),
                    run.name == "float" ? "" : fmt::format("{:.2f}", run.agreement),
                    run.name == "float" ? "" : fmt::format("{:.1f}", run.decibels)});
  std::string text = fmt::format("{}, scales for {}\n\n{}", Counted(report.samples, "sample"),
                                 report.config, FormatTable(rows, {false, true, true, true}));
  if (report.inexact) text += StrCat(report.config, ": ", TextOf(*report.inexact), "\n");
  if (report.cost)
    text += fmt::format("{} on the accelerator: {:.3f} ms\n{}",
                        CountedWithCommas(report.cost->cycles, "cycle"),
                        report.cost->accelerator_ms, HostedLines(report.cost->hosts));
  for (const std::string& node : report.in_float) text += "in float: " + Visible(node) + "\n";
  constexpr size_t kMostName = 36;
  std::vector<std::string> names;
  for (const LayerError& layer : report.layers) names.push_back(layer.layer);
  names = Abbreviated(names, kMostName);
  rows = {{"layer", "alone dB", "whole dB", "values", "clipped %", "channels", "what to do"}};
  for (size_t i = 0; i < names.size(); ++i) {
    const LayerError& layer = report.layers[i];
    rows.push_back({names[i], fmt::format("{:.1f}", layer.own.decibels()),
                    fmt::format("{:.1f}", layer.whole.decibels()), Range(layer.range),
                    layer.clipped > 0 ? fmt::format("{:.3g}", layer.clipped) : "",
                    fmt::format("{:.1f}", layer.spread), layer.advice});
  }
  text += "\n" + FormatTable(rows, {false, true, true, false, true, true, false}) +
          "dB: signal to noise against float; alone: the layer reads what float computes; whole: "
          "what was quantised before it\nchannels: the largest channel's range by the middle "
          "one's\n";
  if (report.trials.empty()) return text;
  rows = {{"outputs dB", "gain", "tried"}, {fmt::format("{:.1f}", report.trial_base), "", ""}};
  for (const Trial& trial : report.trials)
    rows.push_back({fmt::format("{:.1f}", trial.decibels),
                    fmt::format("{:+.1f}", trial.decibels - report.trial_base), trial.change});
  return text + fmt::format("\non {}:\n", Counted(report.trial_samples, "sample")) +
         FormatTable(rows, {true, true, false});
}

Json EvalJson(const EvalReport& report) {
  Json::Array runs, layers, trials, in_float;
  for (const EvalRun& run : report.runs) {
    Json json = Json().Set("name", run.name);
    if (run.accuracy) json.Set("accuracy_percent", *run.accuracy);
    json.Set("same_class_percent", run.agreement).Set("outputs_db", run.decibels);
    runs.push_back(std::move(json));
  }
  for (const LayerError& layer : report.layers)
    layers.push_back(Json()
                         .Set("layer", layer.layer)
                         .Set("alone_db", layer.own.decibels())
                         .Set("whole_db", layer.whole.decibels())
                         .Set("low", layer.range.low)
                         .Set("high", layer.range.high)
                         .Set("clipped_percent", layer.clipped)
                         .Set("clipping_share", layer.clipping_share)
                         .Set("codes_share", layer.codes_share)
                         .Set("channel_spread", layer.spread)
                         .Set("advice", layer.advice));
  for (const Trial& trial : report.trials)
    trials.push_back(Json().Set("change", trial.change).Set("outputs_db", trial.decibels));
  for (const std::string& node : report.in_float) in_float.emplace_back(node);
  Json json = HeadOf(kEvalDocument)
                  .Set("model", report.model)
                  .Set("config", report.config)
                  .Set("samples", report.samples)
                  .Set("in_float", std::move(in_float))
                  .Set("runs", std::move(runs));
  if (report.inexact) json.Set("inexact", InexactJson(*report.inexact));
  if (report.cost)
    json.Set("cycles", report.cost->cycles)
        .Set("accelerator_ms", report.cost->accelerator_ms)
        .Set("hosts", HostedJson(report.cost->hosts));
  return json.Set("layers", std::move(layers))
      .Set("trial_samples", report.trial_samples)
      .Set("trial_base_db", report.trial_base)
      .Set("trials", std::move(trials));
}

}  // namespace vta::tools
