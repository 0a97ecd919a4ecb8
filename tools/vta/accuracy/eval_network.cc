#include "tools/vta/accuracy/eval_network.h"

#include <algorithm>

#include "compiler/quantize/float_form.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/shared/samples.h"

namespace vta::tools {
namespace {

namespace quantize = compiler::quantize;
using compiler::Graph;
using compiler::Tensor;

/// The scale of the codes that a value of the graph comes from, as int8; {1, 0} where it has none
/// for the whole tensor.
compiler::CodeScale ScaleOf(const Graph& graph, const std::string& dequantised) {
  const compiler::Node& node = *graph.Producer(quantize::ValueNamed(graph, dequantised));
  const Tensor *scale = graph.constant(node.inputs[1]), *zero = graph.constant(node.inputs[2]);
  if (!scale || !zero || scale->elements() != 1) return {1, 0};
  const int64_t shift = zero->dtype() == compiler::DType::kUint8 ? 128 : 0;
  return {scale->At(0), static_cast<int64_t>(zero->At(0)) - shift};
}

Compared CompareQuantised(const Graph& imported) {
  quantize::FloatForm form = quantize::FloatFormOf(quantize::Simplified(imported));
  Compared compared;
  compared.real = std::move(form.real);
  compared.quantised = std::move(form.quantised);
  for (const quantize::Pair& pair : compared.quantised.pairs) {
    const compiler::ValueId value = quantize::ValueNamed(compared.real, pair.real);
    compared.points.push_back(
        {value, pair.layer, compared.real.Producer(value) != nullptr, std::ssize(compared.points)});
    compared.scales.push_back(ScaleOf(compared.quantised.graph, pair.quantised));
  }
  return compared;
}

std::vector<int64_t> Classes(const std::vector<std::vector<Tensor>>& outputs, int64_t batch) {
  std::vector<int64_t> classes;
  for (const auto& sample : outputs) {
    const Tensor& scores = sample[0];
    const int64_t each = scores.elements() / batch;
    for (int64_t first = 0; first < scores.elements(); first += each) {
      int64_t best = 0;
      for (int64_t i = 1; i < each; ++i)
        if (scores.At(first + i) > scores.At(first + best)) best = i;
      classes.push_back(best);
    }
  }
  return classes;
}

double PercentEqual(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  VTA_CHECK(a.size() == b.size() && !a.empty(), a.size(), " and ", b.size());
  int64_t equal = 0;
  for (size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return 100.0 * static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace

Compared Compare(const Graph& imported, const quantize::Calibration& calibration,
                 const quantize::Options& how) {
  if (quantize::IsQuantised(imported)) return CompareQuantised(imported);
  quantize::Result result = quantize::Quantise(imported, calibration, how);
  Compared compared;
  compared.real = std::move(result.real);
  compared.quantised = std::move(result.quantised);
  compared.layers = std::ssize(result.plan.layers);
  compared.points = std::move(result.plan.points);
  compared.scales = std::move(result.scales);
  compared.methods = std::move(result.methods);
  compared.in_float = {result.kept.begin(), result.kept.end()};
  compared.quantised_here = true;
  compared.equalised = result.equalised;
  return compared;
}

std::vector<LayerError> LayerErrors(const Compared& compared, const quantize::Calibration& data,
                                    const quantize::MakeRunner& on_config) {
  const auto observed = quantize::Observe(compared.real, compared.points, data);
  const auto own = quantize::OwnNoise(compared.real, compared.quantised, data);
  const auto whole = quantize::WholeNoise(compared.real, compared.quantised, data, on_config);
  std::vector<LayerError> errors;
  for (size_t i = 0; i < own.size(); ++i) {
    LayerError error{compared.quantised.pairs[i].layer, own[i], whole[i]};
    error.is_node = compared.points[i].made_by_integers;
    Explain(observed[i], compared.scales[i],
            {compared.quantised_here, compared.equalised > 0,
             compared.quantised_here ? compared.methods[i] : quantize::Method::kMse},
            &error);
    errors.push_back(std::move(error));
  }
  std::ranges::stable_sort(errors, std::less(),
                           [](const LayerError& error) { return error.own.decibels(); });
  return errors;
}

Accuracy::Accuracy(const Graph& graph, const quantize::Calibration& data, const std::string& labels,
                   const Inputs& inputs)
    : data_(data) {
  if (graph.outputs().empty()) throw Error(graph.name(), "outputs", "0", "there must be one");
  const compiler::Shape& scores = graph.shape(graph.outputs()[0].value);
  const compiler::Shape& input = graph.shape(graph.inputs()[0]);
  if (scores.size() > 1 && input.size() > 1 && input[0] == scores[0]) batch_ = scores[0];
  labels_ = LabelsOf(inputs, labels, inputs.in_files * batch_, compiler::Elements(scores) / batch_);
  if (labels_.empty()) return;
  labels_.resize(data.samples.size() * static_cast<size_t>(batch_));
}

EvalRun Accuracy::Run(const std::string& name, const Graph& graph,
                      const quantize::MakeRunner& runner) {
  quantize::Calibration on = data_;
  on.make_runner = runner;
  std::vector<std::vector<Tensor>> outputs;
  on.Run(graph, name, [&](const std::vector<Tensor>& made) { outputs.push_back(made); });
  const std::vector<int64_t> classes = Classes(outputs, batch_);
  EvalRun run{name, {}, 100, quantize::kMostDecibels};
  if (!labels_.empty()) run.accuracy = PercentEqual(classes, labels_);
  if (float_outputs_.empty()) {
    float_outputs_ = std::move(outputs);
    return run;
  }
  run.agreement = PercentEqual(classes, Classes(float_outputs_, batch_));
  quantize::Noise noise;
  for (size_t s = 0; s < outputs.size(); ++s)
    for (size_t t = 0; t < outputs[s].size(); ++t)
      quantize::AddNoise(float_outputs_[s][t], outputs[s][t], &noise);
  run.decibels = noise.decibels();
  return run;
}

}  // namespace vta::tools
