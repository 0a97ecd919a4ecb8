#include "compiler/quantize/insert.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {
namespace {

/// A layer's biases and what is added to them.
std::vector<double> BiasWith(const Graph& graph, const Layer& layer, const Scheme& scheme) {
  std::vector<double> bias = BiasOf(graph, layer);
  if (const auto added = scheme.bias_added.find(layer.node); added != scheme.bias_added.end())
    for (size_t c = 0; c < bias.size(); ++c) bias[c] += added->second[c];
  return bias;
}

class Inserter {
 public:
  Inserter(const Graph& graph, const Plan& plan, const Scheme& scheme)
      : graph_(graph),
        plan_(plan),
        scheme_(scheme),
        rebuild_(graph),
        fresh_(rebuild_.fresh()),
        coded_(graph.values().size(), kNone) {
    for (size_t i = 0; i < plan.layers.size(); ++i) layer_of_[plan.layers[i].node] = i;
    pairs_.resize(plan.points.size());
  }

  Inserted Run() && {
    for (ValueId input : graph_.inputs()) AddCodes(input);
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      const Node& node = graph_.nodes()[n];
      if (const auto layer = layer_of_.find(static_cast<NodeId>(n)); layer != layer_of_.end())
        AddLayer(node, plan_.layers[layer->second]);
      else if (plan_.is_quantised[n])
        rebuild_.CopyWith(node, CodedInputs(node, node.inputs.size()), node.attributes);
      else
        rebuild_.Copy(node);
      AddCodes(node.output);
    }
    return {rebuild_.Finish(), std::move(pairs_), std::move(outputs_)};
  }

 private:
  ValueId Constant(const std::string& name, Tensor tensor) {
    return fresh_.AddConstant(name, std::move(tensor));
  }

  /// The value through codes, where the plan has a point there.
  void AddCodes(ValueId value) {
    const int64_t index = plan_.point_of[value];
    if (index == kNone) return;
    const Point& point = plan_.points[index];
    const CodeScale& scale = scheme_.points[index];
    const std::string& name = graph_.value(value).name;
    const ValueId s = Constant(name + "_scale", Tensor::Scalar(static_cast<float>(scale.scale)));
    const ValueId zero =
        scheme_.unsigned_codes
            ? Constant(name + "_zero_point",
                       Tensor::Scalar(static_cast<uint8_t>(scale.zero_point + 128)))
            : Constant(name + "_zero_point", Tensor::Scalar(static_cast<int8_t>(scale.zero_point)));
    const ValueId real = rebuild_.Map(value);
    const ValueId codes = fresh_.Emit(Op::kQuantize, point.layer + "_quantize", {real, s, zero},
                                      {{"axis", int64_t{0}}}, name + "_quantized");
    coded_[value] = fresh_.Emit(Op::kDequantize, point.layer + "_dequantize", {codes, s, zero},
                                {{"axis", int64_t{0}}}, name + "_dequantized");
    pairs_[index] = {point.layer, name, fresh_.value(coded_[value]).name};
    if (point.made_by_integers) rebuild_.Stand(value, coded_[value]);
  }

  /// The value as it comes from codes, through copies of the moves behind them. What is neither
  /// codes nor moved from them (inside a layer and its clamp) is as it is.
  ValueId Coded(ValueId value) {
    if (coded_[value] != kNone) return coded_[value];
    const Node* producer = graph_.Producer(value);
    if (!producer || !plan_.is_move[producer - graph_.nodes().data()] ||
        PointOf(graph_, plan_, value) == kNone)
      return rebuild_.Map(value);
    if (plan_.points[PointOf(graph_, plan_, value)].made_by_integers)
      return coded_[value] = rebuild_.Map(value);
    const ValueId source = Coded(producer->inputs[0]);
    return coded_[value] = fresh_.Emit(producer->op, producer->name, {source}, producer->attributes,
                                       graph_.value(value).name);
  }

  std::vector<ValueId> CodedInputs(const Node& node, size_t count) {
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < count; ++i) inputs.push_back(Coded(node.inputs[i]));
    return inputs;
  }

  ValueId Dequantised(const std::string& name, Tensor codes, const std::vector<float>& scales,
                      int64_t axis) {
    const auto channels = std::ssize(scales);
    Tensor zeros(TensorType{codes.dtype(), {channels}});
    const ValueId c = Constant(name + "_quantized", std::move(codes));
    const ValueId s = Constant(name + "_scale", Tensor::Of<float>({channels}, scales));
    const ValueId z = Constant(name + "_zero_point", std::move(zeros));
    return fresh_.Emit(Op::kDequantize, name + "_dequantize", {c, s, z}, {{"axis", axis}},
                       name + "_dequantized");
  }

  LayerCodes CodesOf(const Layer& layer, const std::vector<double>& bias) const {
    const Node& node = graph_.nodes()[layer.node];
    try {
      return QuantiseLayer(
          *graph_.constant(node.inputs[1]), layer.channel_axis, bias,
          {static_cast<float>(scheme_.points[layer.input].scale),
           static_cast<float>(scheme_.points[layer.output].scale), scheme_.factor_bits});
    } catch (const Error& error) {
      throw error.In(StrCat(graph_.name(), ": layer \"", node.name, "\""));
    }
  }

  void AddLayer(const Node& node, const Layer& layer) {
    const std::vector<double> bias = BiasWith(graph_, layer, scheme_);
    LayerCodes codes = CodesOf(layer, bias);
    std::vector<ValueId> inputs = CodedInputs(node, 1);
    const std::string weights = graph_.value(node.inputs[1]).name;
    inputs.push_back(
        Dequantised(weights, std::move(codes.weights), codes.scales, layer.channel_axis));
    Op op = node.op;
    Attributes attributes = node.attributes;
    const bool has_bias =
        node.inputs.size() > 2 || std::ranges::any_of(bias, [](double b) { return b != 0; });
    const bool matrix = graph_.shape(node.output).size() == 2;
    if (has_bias && (op != Op::kMatMul || matrix)) {
      if (op == Op::kMatMul) {
        op = Op::kGemm;
        attributes = {{"alpha", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{0}}};
      }
      if (op == Op::kGemm) attributes.Set("beta", 1.0);
      std::vector<float> units;
      for (const float scale : codes.scales)
        units.push_back(static_cast<float>(scheme_.points[layer.input].scale) * scale);
      const std::string name =
          node.inputs.size() > 2 ? graph_.value(node.inputs[2]).name : node.name + "_bias";
      inputs.push_back(
          Dequantised(name, Tensor::Of<int32_t>({std::ssize(codes.bias)}, codes.bias), units, 0));
    }
    const ValueId made =
        fresh_.Emit(op, node.name, inputs, attributes, graph_.value(node.output).name);
    outputs_[layer.node] = fresh_.value(made).name;
    rebuild_.Replace(node, made);
  }

  const Graph& graph_;
  const Plan& plan_;
  const Scheme& scheme_;
  Rebuild rebuild_;
  Graph& fresh_;
  std::vector<ValueId> coded_;  // by value of the old graph
  std::map<NodeId, size_t> layer_of_;
  std::vector<Pair> pairs_;
  std::map<NodeId, std::string> outputs_;
};

}  // namespace

std::vector<double> BiasOf(const Graph& graph, const Layer& layer) {
  const Node& node = graph.nodes()[layer.node];
  std::vector<double> bias(layer.channels);
  if (node.inputs.size() < 3) return bias;
  const Tensor& constant = *graph.constant(node.inputs[2]);
  for (int64_t c = 0; c < layer.channels; ++c)
    bias[c] = constant.At(constant.elements() == 1 ? 0 : c);
  return bias;
}

ValueId ValueNamed(const Graph& graph, const std::string& name) {
  for (size_t id = 0; id < graph.values().size(); ++id)
    if (graph.values()[id].name == name) return static_cast<ValueId>(id);
  CheckFailed(__FILE__, __LINE__, "a value", name);
}

Inserted Insert(const Graph& graph, const Plan& plan, const Scheme& scheme) {
  return Inserter(graph, plan, scheme).Run();
}

}  // namespace vta::compiler::quantize
