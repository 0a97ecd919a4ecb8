// vta eval MODEL --data D --labels L
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "compiler/quantize/error.h"
#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"
#include "tools/shared/samples.h"
#include "tools/vta/commands.h"
#include "tools/vta/engines.h"
#include "tools/vta/graph_runner.h"
#include "tools/vta/options.h"
#include "tools/vta/quantise_options.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

double Accuracy(const quantize::Runner& run, quantize::Samples samples,
                const std::vector<int64_t>& labels) {
  int64_t right = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const auto out = run(samples[i])[0];
    right += ArgMax(out.bytes(), isa::ElementType::kFloat32) == labels[i];
  }
  return 100.0 * right / samples.size();
}

}  // namespace

std::function<int()> AddEvalCommand(CLI::App& app) {
  struct Options {
    QuantiseOptions quantise;
    EngineOptions engine;
    std::string labels;
    std::vector<std::string> calib;
  };
  auto options = std::make_shared<Options>();
  options->quantise.AddTo(app);
  options->engine.AddNameTo(app);
  ReadsFile(app.add_option("--labels", options->labels, "a class a line"));
  ReadsFile(app.add_option("--calibration-data", options->calib, "x"));
  return [options] {
    Progress progress("eval");
    auto graph = options->quantise.Import();
    auto data = ReadSamples(graph, "--data", options->quantise.data, options->quantise.encoding, options->quantise.samples);
    auto labels = LoadLabels(options->labels, 1000);
    auto cdata = options->calib.empty() ? data : ReadSamples(graph, "--data", options->calib, options->quantise.encoding, 0);
    labels.resize(data.size());
    auto o = options->quantise.Parsed();
    auto r = quantize::Quantise(graph, OnSamples(cdata, &progress), o);
    auto cal = OnSamples(data, &progress);
    progress.Hide();
    fmt::print("equalised {} left {}\n", r.equalised, r.left_float.size());
    for (auto& l : r.left_float) fmt::print("left {}\n", l);
    auto on_config = OnEngine(*o.config, options->engine);
    fmt::print("float {:.2f}\n", Accuracy(OnCpu()(r.real), data, labels));
    fmt::print("int8 {:.2f}\n", Accuracy(OnCpu()(r.quantised.graph), data, labels));
    fmt::print("engine {:.2f}\n", Accuracy(on_config(r.quantised.graph), data, labels));
    fmt::print("outputs {:.2f} dB, config {:.2f} dB\n", quantize::OutputNoise(r.real, r.quantised.graph, cal, OnCpu()).decibels(),quantize::OutputNoise(r.real, r.quantised.graph, cal, on_config).decibels());
    auto own = quantize::OwnNoise(r.real, r.quantised, cal);
    auto whole = quantize::WholeNoise(r.real, r.quantised, cal, on_config);
    for (size_t i = 0; i < own.size(); ++i)
      fmt::print("{:40} {:8.2f} {:8.2f}  {:g} {}\n", r.quantised.pairs[i].layer, own[i].decibels(), whole[i].decibels(), r.scales[i].scale, r.scales[i].zero_point);
    return 0;
  };
}

}  // namespace vta::tools
