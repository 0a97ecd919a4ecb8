#include "compiler/quantize/bias_correction.h"

#include "compiler/graph/ops.h"
#include "compiler/quantize/side_by_side.h"

namespace vta::compiler::quantize {

std::map<NodeId, std::vector<float>> BiasCorrections(const Graph& graph, const Plan& plan,
                                                     const Inserted& quantised,
                                                     const Calibration& calibration) {
  SideBySide both(graph, quantised.graph, quantised.pairs);
  std::vector<NodeId> nodes;
  for (const Layer& layer : plan.layers) {
    const Node& node = graph.nodes()[layer.node];
    const Shape& shape = graph.shape(node.output);
    if (node.op == Op::kMatMul && shape.size() != 2) continue;
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < std::ssize(shape); ++axis)
      if (axis != 1) axes.push_back(axis);
    const std::string& name = graph.value(node.output).name;
    const ValueId made = both.Quantised(quantised.outputs.at(layer.node));
    both.OutputMean(name, both.Difference(both.Real(name), made), axes);
    nodes.push_back(layer.node);
  }
  std::map<NodeId, std::vector<float>> added;
  if (nodes.empty()) return added;
  calibration.Run(both.Finish(), "correcting biases", [&](const std::vector<Tensor>& means) {
    for (size_t i = 0; i < means.size(); ++i) {
      const auto values = means[i].data<float>();
      std::vector<float>& sum = added[nodes[i]];
      sum.resize(values.size());
      for (size_t c = 0; c < values.size(); ++c)
        sum[c] += values[c] / static_cast<float>(calibration.Chosen().size());
    }
  });
  return added;
}

}  // namespace vta::compiler::quantize
