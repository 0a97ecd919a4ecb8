#include "compiler/quantize/trial.h"

#include <algorithm>
#include <limits>

#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {
namespace {

/// A scale of codes as three numbers: the step, and the least and the greatest multiple of it.
std::vector<Tensor> Numbers(const std::optional<CodeScale>& scale) {
  constexpr float kAll = std::numeric_limits<float>::infinity();
  // Every float32 of ordinary size is a multiple of this.
  if (!scale) return {Tensor::Scalar(0x1p-60f), Tensor::Scalar(-kAll), Tensor::Scalar(kAll)};
  return {Tensor::Scalar(static_cast<float>(scale->scale)),
          Tensor::Scalar(static_cast<float>(-128 - scale->zero_point)),
          Tensor::Scalar(static_cast<float>(127 - scale->zero_point))};
}

CodeScale ScaleIn(const Graph& graph, const Node& dequantize) {
  const Tensor &scale = *graph.constant(dequantize.inputs[1]),
               &zero = *graph.constant(dequantize.inputs[2]);
  return {scale.At(0),
          static_cast<int64_t>(zero.At(0)) - (zero.dtype() == DType::kUint8 ? 128 : 0)};
}

/// What the constant codes of a bias stand for.
std::vector<float> BiasIn(const Graph& graph, const Node& dequantize) {
  const Tensor &codes = *graph.constant(dequantize.inputs[0]),
               &scale = *graph.constant(dequantize.inputs[1]);
  std::vector<float> bias;
  for (int64_t c = 0; c < codes.elements(); ++c)
    bias.push_back(static_cast<float>(codes.At(c) * scale.At(c)));
  return bias;
}

/// The dequantize of a layer's bias, or null.
const Node* BiasBefore(const Inserted& quantised, const Layer& layer) {
  const Graph& graph = quantised.graph;
  const Node& node = *graph.Producer(ValueNamed(graph, quantised.outputs.at(layer.node)));
  const Node* bias = node.inputs.size() > 2 ? graph.Producer(node.inputs[2]) : nullptr;
  return bias && bias->op == Op::kDequantize ? bias : nullptr;
}

/// The quantised graph with scales, three numbers for each pair, and then biases as inputs, and
/// what is judged as outputs.
Graph WithInputs(const Plan& plan, const Inserted& quantised, const std::vector<Judge>& judges,
                 std::vector<std::pair<NodeId, Shape>>* bias_inputs) {
  const Graph& graph = quantised.graph;
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  std::map<std::string, std::vector<ValueId>> scales;  // by the name of what comes from codes
  for (const Pair& pair : quantised.pairs)
    for (const char* what : {"_step", "_least", "_greatest"})
      scales[pair.quantised].push_back(fresh.AddInput(pair.real + what, {DType::kFloat32, {}}));
  std::map<std::string, ValueId> biases;  // by the name of the layer's output
  for (const Layer& layer : plan.layers) {
    const Node* bias = BiasBefore(quantised, layer);
    if (!bias) continue;
    const std::string& name = quantised.outputs.at(layer.node);
    Shape shape(graph.shape(ValueNamed(graph, name)).size(), 1);
    shape[1] = layer.channels;
    bias_inputs->emplace_back(layer.node, shape);
    biases[name] = fresh.AddInput(name + "_bias_tried", {DType::kFloat32, shape});
  }
  for (const Node& node : graph.nodes()) {
    const std::string& name = graph.value(node.output).name;
    if (const auto bias = biases.find(name); bias != biases.end()) {
      std::vector<ValueId> inputs = rebuild.MapInputs(node);
      inputs[2] = fresh.AddConstant(name + "_no_bias",
                                    Tensor(TensorType{DType::kFloat32, fresh.shape(inputs[2])}));
      const ValueId made = fresh.Emit(node.op, node.name, inputs, node.attributes);
      rebuild.Replace(node, fresh.Emit(Op::kAdd, node.name, {made, bias->second}, {}));
      continue;
    }
    const auto found = scales.find(name);
    if (found == scales.end()) {
      rebuild.Copy(node);
      continue;
    }
    const ValueId step = found->second[0], least = found->second[1], greatest = found->second[2];
    ValueId value = rebuild.Map(graph.Producer(node.inputs[0])->inputs[0]);
    value = fresh.Emit(Op::kDiv, node.name, {value, step}, {});
    value = fresh.Emit(Op::kRound, node.name, {value}, {});
    value = fresh.Emit(Op::kMax, node.name, {value, least}, {});
    value = fresh.Emit(Op::kMin, node.name, {value, greatest}, {});
    rebuild.Replace(node, fresh.Emit(Op::kMul, node.name, {value, step}, {}));
  }
  for (size_t i = 0; i < judges.size(); ++i)
    fresh.AddOutput(StrCat("judged_", i), rebuild.Map(QuantisedValue(quantised, judges[i])));
  return RemoveDead(fresh);
}

}  // namespace

Setting SettingOf(const Plan& plan, const Inserted& quantised) {
  const Graph& graph = quantised.graph;
  Setting setting;
  for (const Pair& pair : quantised.pairs)
    setting.scales.emplace_back(ScaleIn(graph, *graph.Producer(ValueNamed(graph, pair.quantised))));
  for (const Layer& layer : plan.layers)
    if (const Node* bias = BiasBefore(quantised, layer))
      setting.biases[layer.node] = BiasIn(graph, *bias);
  return setting;
}

Setting Unrounded(Setting setting) {
  for (auto& scale : setting.scales) scale.reset();
  return setting;
}

Outcome NoiseBetween(const Judged& want, const Judged& have) {
  Outcome outcome;
  for (size_t s = 0; s < want.size(); ++s) outcome.push_back(NoiseBetween(want[s], have[s]));
  return outcome;
}

Trial::Trial(const Plan& plan, const Inserted& quantised, const std::vector<Judge>& judges,
             const Calibration& calibration, int64_t most)
    : calibration_(calibration),
      setting_(SettingOf(plan, quantised)),
      chosen_(calibration.Chosen()) {
  chosen_.resize(std::min<size_t>(chosen_.size(), most));
  run_ = calibration.make_runner(WithInputs(plan, quantised, judges, &bias_inputs_));
}

std::vector<Tensor> Trial::RunOn(size_t sample, const Setting& setting) const {
  std::vector<Tensor> inputs = calibration_.samples[chosen_[sample]];
  for (const auto& scale : setting.scales)
    for (Tensor& number : Numbers(scale)) inputs.push_back(std::move(number));
  for (const auto& [layer, shape] : bias_inputs_)
    inputs.push_back(Tensor::Of<float>(shape, setting.biases.at(layer)));
  return run_(inputs);
}

Judged Trial::Run(const Setting& setting) const {
  Judged judged;
  for (size_t sample = 0; sample < chosen_.size(); ++sample)
    judged.push_back(RunOn(sample, setting));
  return judged;
}

Judged Trial::RunOther(const Graph& graph) const {
  const Runner run = calibration_.make_runner(graph);
  Judged judged;
  for (const size_t sample : chosen_) judged.push_back(run(calibration_.samples[sample]));
  return judged;
}

}  // namespace vta::compiler::quantize
