// vta eval MODEL --data D --labels L
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/vta/accuracy/evaluate.h"
#include "tools/vta/commands.h"
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

EvalReport Evaluate(const EvalOptions& options, const compiler::Graph& graph, Progress* progress) {
  const QuantiseOptions& o = options.quantise;
  const quantize::Options how = o.Parsed();
  Evaluation evaluation{.model = o.model,
                        .data = ReadSamples(graph, "--data", o.data, o.encoding, o.samples),
                        .labels = options.labels,
                        .threads = options.engine.threads,
                        .trials = !options.no_trials};
  if (!options.calibration_data.empty())
    evaluation.calibration =
        ReadSamples(graph, "--calibration-data", options.calibration_data, o.encoding, kAllSamples)
            .tensors;
  if (options.engine_asked) evaluation.engine = &options.engine;
  return Evaluate(evaluation, graph, how, progress);
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
