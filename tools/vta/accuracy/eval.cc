// vta eval MODEL --data D --labels L
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "compiler/quantize/float_form.h"
#include "compiler/quantize/weights.h"
#include "isa/support/error.h"
#include "tools/vta/accuracy/eval_network.h"
#include "tools/vta/accuracy/eval_trials.h"
#include "tools/vta/accuracy/quantise_options.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/graph_runner.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

struct EvalOptions {
  QuantiseOptions quantise;
  EngineOptions engine;
  bool engine_asked = false;
  std::vector<std::string> calibration_data;
  std::string labels;
  bool json = false, no_trials = false;
};

/// Runs what works on the model's graph: its errors name the model's file.
template <typename F>
auto OnModel(const std::string& model, F work) {
  try {
    return work();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw error.In(model);
  }
}

EvalReport Evaluate(const EvalOptions& options, const compiler::Graph& graph, Progress* progress) {
  const QuantiseOptions& o = options.quantise;
  const quantize::Options how = o.Parsed();
  const Samples samples = ReadSamples(graph, "--data", o.data, o.encoding, o.samples);
  const quantize::Calibration data = OnSamples(samples.tensors, progress);
  Accuracy accuracy(graph, data, options.labels, samples.from);
  std::vector<std::vector<compiler::Tensor>> others;
  quantize::Calibration calibration = data;
  if (!options.calibration_data.empty()) {
    others =
        ReadSamples(graph, "--calibration-data", options.calibration_data, o.encoding, kAllSamples)
            .tensors;
    calibration = OnSamples(others, progress);
  }
  calibration.hold_back = quantize::HoldBackOf(std::ssize(calibration.samples));
  const Compared compared = OnModel(o.model, [&] { return Compare(graph, calibration, how); });
  EvalReport report;
  report.model = o.model;
  report.config = how.config->name;
  report.samples = std::ssize(samples.tensors);
  report.in_float = compared.in_float;
  report.runs.push_back(accuracy.Run("float", compared.real, OnCpu()));
  report.runs.push_back(accuracy.Run("int8", compared.quantised.graph, OnCpu()));
  // Exact requantisation has the CPU's values on any engine.
  const bool differs = quantize::FactorBits(*how.config) < quantize::kExactFactorBits;
  const quantize::MakeRunner on_config =
      differs || options.engine_asked ? OnEngine(*how.config, options.engine) : OnCpu();
  if (differs || options.engine_asked)
    report.runs.push_back(
        accuracy.Run(StrCat("int8 on ", how.config->name, " (", options.engine.name, ")"),
                     compared.quantised.graph, on_config));
  report.layers = OnModel(o.model, [&] { return LayerErrors(compared, data, on_config); });
  if (!options.no_trials) {
    progress->At("trying changes");
    OnModel(o.model, [&] { TryChanges(graph, calibration, how, compared, &report); });
  }
  return report;
}

int Run(EvalOptions& options) {
  Progress progress(StrCat("eval ", options.quantise.model));
  const compiler::Graph graph = options.quantise.Import();
  const EvalReport report = Evaluate(options, graph, &progress);
  progress.Hide();
  fmt::print("{}", options.json ? EvalJson(report).Dump() + "\n" : EvalText(report));
  return 0;
}

}  // namespace

std::function<int()> AddEvalCommand(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  options->quantise.AddTo(app);
  app.get_option("MODEL")->description(
      "an ONNX or TensorFlow Lite model: in float, which is quantised as vta quantize does, or "
      "quantised, which is "
      "compared with itself without codes between its layers");
  app.option_defaults()->group("Comparing");
  ReadsFile(app.add_option("--labels", options->labels,
                           "a class a line, for all samples of --data: print accuracies"));
  ReadsFile(app.add_option("--calibration-data", options->calibration_data,
                           "quantise with these samples, stored as those of --data"));
  options->engine.AddNameTo(app);
  app.option_defaults()->group("Comparing");
  app.add_flag("--no-trials", options->no_trials,
               "leave out what other options of the quantiser would do");
  app.add_flag("--json", options->json, "print for machines");
  return [options, &app] {
    options->engine_asked = app.get_option("--engine")->count() > 0;
    return Run(*options);
  };
}

}  // namespace vta::tools
