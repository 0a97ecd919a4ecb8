#include "tools/vta/accuracy/evaluate.h"

#include "compiler/quantize/float_form.h"
#include "compiler/quantize/weights.h"
#include "isa/support/error.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/vta/accuracy/eval_network.h"
#include "tools/vta/accuracy/eval_trials.h"
#include "tools/vta/common/graph_runner.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;

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

/// What the network is on the config: no cycles where no model knows that.
void AddCost(const compiler::Graph& quantised, const isa::Config& config, Progress* progress,
             EvalReport* report) {
  ModelOptions options;
  options.model = report->model;
  options.graph = &quantised;
  options.own_config = config;
  options.cpus.clear();  // nothing runs
  options.progress = progress;
  try {
    const isa::Package package = OpenModel(options).package;
    report->inexact = package.inexactness();
    report->cost = CostOf(package, config);
  } catch (const Error& error) {
    Log(LogLevel::kInfo, StrCat("no cycles: ", error.what()));
  }
}

}  // namespace

EvalReport Evaluate(const Evaluation& evaluation, const compiler::Graph& graph,
                    const quantize::Options& how, Progress* progress) {
  const auto& samples = evaluation.data.tensors;
  const quantize::Calibration data = OnSamples(samples, progress, evaluation.threads);
  Accuracy accuracy(graph, data, evaluation.labels, evaluation.data.from);
  quantize::Calibration calibration =
      evaluation.calibration.empty()
          ? data
          : OnSamples(evaluation.calibration, progress, evaluation.threads);
  calibration.hold_back = quantize::HoldBackOf(std::ssize(calibration.samples));
  const Compared compared =
      OnModel(evaluation.model, [&] { return Compare(graph, calibration, how); });
  EvalReport report;
  report.model = evaluation.model;
  report.config = how.config->name;
  report.samples = std::ssize(samples);
  report.in_float = compared.in_float;
  const quantize::MakeRunner on_cpu = OnCpu(evaluation.threads);
  report.runs.push_back(accuracy.Run("float", compared.real, on_cpu));
  report.runs.push_back(accuracy.Run("int8", compared.quantised.graph, on_cpu));
  // Exact requantisation has the CPU's values on any engine.
  const bool differs = quantize::FactorBits(*how.config) < quantize::kExactFactorBits;
  const bool on_engine = differs || evaluation.engine;
  EngineOptions engine = evaluation.engine ? *evaluation.engine : EngineOptions();
  engine.threads = evaluation.threads;
  const quantize::MakeRunner on_config = on_engine ? OnEngine(*how.config, engine) : on_cpu;
  if (on_engine)
    report.runs.push_back(accuracy.Run(StrCat("int8 on ", how.config->name, " (", engine.name, ")"),
                                       compared.quantised.graph, on_config));
  AddCost(compared.quantised.graph, *how.config, progress, &report);
  report.layers = OnModel(evaluation.model, [&] { return LayerErrors(compared, data, on_config); });
  if (evaluation.trials) {
    progress->At("trying changes");
    OnModel(evaluation.model, [&] { TryChanges(graph, calibration, how, compared, &report); });
  }
  return report;
}

}  // namespace vta::tools
