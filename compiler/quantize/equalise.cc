#include "compiler/quantize/equalise.h"

#include <algorithm>
#include <cmath>

#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {
namespace {

bool IsDepthwise(const Graph& graph, const Node& conv) {
  return graph.shape(conv.inputs[1])[1] == 1 &&
         conv.Int("groups") == graph.shape(conv.inputs[0])[1] &&
         graph.shape(conv.output)[1] == conv.Int("groups");
}

/// The largest weight of each input channel; of a depthwise one none counts.
std::vector<float> LargestByInput(const Tensor& weights) {
  const Shape& shape = weights.shape();
  const int64_t each = shape[2] * shape[3];
  std::vector<float> largest(shape[1]);
  const auto data = weights.data<float>();
  for (int64_t i = 0; i < weights.elements(); ++i) {
    float& most = largest[i / each % shape[1]];
    most = std::max(most, std::abs(data[i]));
  }
  return largest;
}

/// Two convolutions and what each channel between them is divided by.
struct Link {
  NodeId first, second;
  std::vector<float> factors;
};

class Equaliser {
 public:
  Equaliser(const Graph& graph, const Plan& plan, const std::vector<Observation>& observed)
      : graph_(graph), plan_(plan), observed_(observed), uses_(graph.UseCounts()) {}

  std::vector<Link> Links() const {
    std::vector<Link> links;
    for (const Layer& second : plan_.layers) {
      const Node& consumer = graph_.nodes()[second.node];
      const Point& between = plan_.points[second.input];
      if (consumer.op != Op::kConv2d || between.value != consumer.inputs[0] ||
          uses_[between.value] != 1)
        continue;
      const auto first = std::ranges::find_if(
          plan_.layers, [&](const Layer& layer) { return layer.output == second.input; });
      if (first == plan_.layers.end() || !Follows(graph_.nodes()[first->node], between.value))
        continue;
      const bool depthwise = IsDepthwise(graph_, consumer);
      if (!depthwise && consumer.Int("groups") != 1) continue;
      std::vector<float> factors = Factors(observed_[second.input].channels, consumer, depthwise);
      if (!factors.empty()) links.push_back({first->node, second.node, std::move(factors)});
    }
    return links;
  }

 private:
  /// Whether the value is the convolution's output, or a relu's of it.
  bool Follows(const Node& conv, ValueId value) const {
    if (conv.op != Op::kConv2d) return false;
    const Node& last = *graph_.Producer(value);
    return value == conv.output || (last.op == Op::kRelu && last.inputs[0] == conv.output);
  }

  std::vector<float> Factors(const std::vector<float>& ranges, const Node& consumer,
                             bool depthwise) const {
    constexpr float kMost = 1e4f;  // further apart, a channel as good as says nothing
    const float largest = *std::ranges::max_element(ranges);
    if (largest == 0) return {};
    std::vector<float> weights(ranges.size(), 1.0f);
    if (!depthwise) weights = LargestByInput(*graph_.constant(consumer.inputs[1]));
    std::vector<float> factors(ranges.size(), 0.0f);
    float most = 0;  // of the ranges that the factors leave
    for (size_t c = 0; c < ranges.size(); ++c) {
      if (ranges[c] == 0 || weights[c] == 0) continue;
      factors[c] = depthwise ? ranges[c] : std::sqrt(ranges[c] / weights[c]);
      most = std::max(most, ranges[c] / factors[c]);
    }
    for (float& factor : factors)
      factor = factor == 0 ? 1 : std::clamp(factor * most / largest, 1 / kMost, kMost);
    return factors;
  }

  const Graph& graph_;
  const Plan& plan_;
  const std::vector<Observation>& observed_;
  const std::vector<int64_t> uses_;
};

/// Divides or multiplies along an axis.
Tensor Scaled(const Tensor& tensor, int64_t axis, const std::vector<float>& factors, bool divide) {
  Tensor scaled = tensor;
  const int64_t step = Strides(tensor.shape())[axis];
  const auto data = scaled.mutable_data<float>();
  for (int64_t i = 0; i < std::ssize(data); ++i) {
    const float factor = factors[i / step % std::ssize(factors)];
    data[i] = divide ? data[i] / factor : data[i] * factor;
  }
  return scaled;
}

}  // namespace

Graph Equalise(const Graph& graph, const Plan& plan, const std::vector<Observation>& observed,
               int64_t* layers) {
  const std::vector<Link> links = Equaliser(graph, plan, observed).Links();
  if (layers) *layers = std::ssize(links);
  Rebuild rebuild(graph);
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    std::vector<ValueId> inputs = rebuild.MapInputs(node);
    const auto replace = [&](size_t input, int64_t axis, const Link& link, bool divide) {
      inputs[input] = rebuild.fresh().AddConstant(
          graph.value(node.inputs[input]).name,
          Scaled(*rebuild.fresh().constant(inputs[input]), axis, link.factors, divide));
    };
    for (const Link& link : links) {
      if (link.first == static_cast<NodeId>(n)) {
        replace(1, 0, link, true);
        if (inputs.size() > 2) replace(2, 0, link, true);
      }
      if (link.second == static_cast<NodeId>(n))
        replace(1, IsDepthwise(graph, node) ? 0 : 1, link, false);
    }
    rebuild.CopyWith(node, inputs, node.attributes);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler::quantize
