#include "compiler/quantize/float_form.h"

#include <algorithm>
#include <functional>

#include "compiler/graph/ops.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler::quantize {
namespace {

/// The quantize whose codes a dequantize reads, or null.
const Node* QuantizeBefore(const Graph& graph, const Node& node) {
  if (node.op != Op::kDequantize) return nullptr;
  const Node* producer = graph.Producer(node.inputs[0]);
  return producer && producer->op == Op::kQuantize ? producer : nullptr;
}

std::string LayerOf(const Graph& graph, ValueId real) {
  const Node* producer = graph.Producer(real);
  return producer ? producer->name : graph.value(real).name;
}

/// Without the codes of the tensors that `drop` names by their layers; calls `each` with every such
/// tensor, named as the new graph has it, and its dequantize.
Graph WithoutCodes(const Graph& graph, const std::function<bool(const std::string& layer)>& drop,
                   const std::function<void(const std::string&, const Node&)>& each) {
  Rebuild rebuild(graph);
  for (const Node& node : graph.nodes()) {
    const Node* quantize = QuantizeBefore(graph, node);
    if (!quantize || !drop(LayerOf(graph, quantize->inputs[0]))) {
      rebuild.Copy(node);
      continue;
    }
    const ValueId real = rebuild.Map(quantize->inputs[0]);
    rebuild.Replace(node, real);
    each(rebuild.fresh().value(real).name, node);
  }
  return rebuild.Finish();
}

}  // namespace

bool IsQuantised(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return node.op == Op::kQuantize || node.op == Op::kDequantize ||
           (node.op >= Op::kConv2dI8 && node.op <= Op::kFlipSign);
  });
}

FloatForm FloatFormOf(const Graph& quantised) {
  FloatForm form;
  form.quantised.graph = quantised;
  form.real = WithoutCodes(
      quantised, [](const std::string&) { return true; },
      [&](const std::string& real, const Node& dequantize) {
        const Node& quantize = *QuantizeBefore(quantised, dequantize);
        form.quantised.pairs.push_back({LayerOf(quantised, quantize.inputs[0]), real,
                                        quantised.value(dequantize.output).name});
      });
  if (form.quantised.pairs.empty())
    throw Error(quantised.name(), "", "", "no tensor passes through codes: nothing to compare");
  return form;
}

Graph WithoutCodesOf(const Graph& quantised, const std::set<std::string>& layers) {
  return WithoutCodes(
      quantised, [&](const std::string& layer) { return layers.contains(layer); },
      [](const std::string&, const Node&) {});
}

}  // namespace vta::compiler::quantize
