#include "tools/vta/accuracy/eval_trials.h"

#include <algorithm>

#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

constexpr size_t kMostSamples = 32, kWorst = 3;

/// The worst layers that are nodes, each once.
std::vector<std::string> WorstLayers(const std::vector<LayerError>& layers) {
  std::vector<std::string> worst;
  for (const LayerError& layer : layers)
    if (worst.size() < kWorst && layer.is_node && layer.own.noise > 0 &&
        std::ranges::count(worst, layer.layer) == 0)
      worst.push_back(layer.layer);
  return worst;
}

/// Decibels of the outputs where a float network is quantised like this.
double Quantised(const compiler::Graph& imported, const quantize::Calibration& few,
                 const quantize::Options& how) {
  const quantize::Result result = quantize::Quantise(imported, few, how);
  quantize::Calibration all = few;
  all.hold_back = 0;
  return quantize::OutputNoise(result.real, result.quantised.graph, all, few.make_runner)
      .decibels();
}

}  // namespace

void TryChanges(const compiler::Graph& imported, const quantize::Calibration& calibration,
                const quantize::Options& asked, const Compared& compared, EvalReport* report) {
  quantize::Options how = asked;
  how.equalise = compared.equalised > 0 ? quantize::Choice::kOn : quantize::Choice::kOff;
  quantize::Calibration few = calibration;
  few.samples = few.samples.first(std::min(few.samples.size(), kMostSamples));
  few.on_sample = {};
  few.hold_back = compared.quantised_here ? quantize::HoldBackOf(std::ssize(few.samples)) : 0;
  report->trial_samples = std::ssize(few.samples);
  const std::vector<std::string> worst = WorstLayers(report->layers);
  const auto add = [&](std::string change, double decibels) {
    report->trials.push_back({std::move(change), decibels});
  };
  if (compared.quantised_here) {
    report->trial_base = Quantised(imported, few, how);
    for (const quantize::MethodInfo& row : quantize::kMethods) {
      if (row.method == how.method) continue;
      quantize::Options other = how;
      other.method = row.method;
      add(StrCat("--calibration ", row.name), Quantised(imported, few, other));
    }
    quantize::Options other = how;
    other.equalise = compared.equalised > 0 ? quantize::Choice::kOff : quantize::Choice::kOn;
    add(compared.equalised > 0 ? "--equalise off" : "--equalise on",
        Quantised(imported, few, other));
    // Without its only layer nothing would be left to quantise.
    for (const std::string& layer : compared.layers > 1 ? worst : std::vector<std::string>()) {
      other = how;
      other.keep_float.insert(layer);
      add("--keep-float " + layer, Quantised(imported, few, other));
    }
  } else {
    const auto decibels = [&](const compiler::Graph& graph) {
      return quantize::OutputNoise(compared.real, graph, few, few.make_runner).decibels();
    };
    report->trial_base = decibels(compared.quantised.graph);
    for (const std::string& layer : worst)
      add(layer + " in float",
          decibels(quantize::WithoutCodesOf(compared.quantised.graph, {layer})));
  }
  std::ranges::stable_sort(report->trials, std::greater(), &Trial::decibels);
}

}  // namespace vta::tools
