#include "compiler/operators/chain.h"

#include <algorithm>

#include "compiler/graph/ops.h"
#include "isa/support/error.h"

namespace vta::compiler::operators {

namespace {

std::string Why(const Node& node, const Node& before, const char* broken) {
  if (!broken) return "";
  return StrCat("computes after \"", before.name, "\" only what follows element by element: \"",
                node.name, "\" ", broken);
}

const char* OtherwiseMade(const Graph& graph, const Node& node, const Node& before) {
  if (graph.shape(node.output) != graph.shape(before.output)) return "has another shape";
  return Spec(node.op).traits.elementwise ? nullptr : "is not element-wise";
}

}  // namespace

std::string WhyNotBehind(const Graph& graph, const Node& node, const Node& before) {
  const char* broken = OtherwiseMade(graph, node, before);
  if (std::count(node.inputs.begin(), node.inputs.end(), before.output) != 1)
    broken = "does not read it once";
  return Why(node, before, broken);
}

std::string WhyNotBehind(const Graph& graph, const Node& node, std::span<const NodeId> before) {
  const Node& last = graph.nodes()[before.back()];
  const bool reads = std::ranges::any_of(before, [&](NodeId id) {
    return std::ranges::count(node.inputs, graph.nodes()[id].output) > 0;
  });
  return Why(node, last, reads ? OtherwiseMade(graph, node, last) : "does not read it");
}

}  // namespace vta::compiler::operators
