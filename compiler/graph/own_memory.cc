#include "compiler/graph/own_memory.h"

namespace vta::compiler {

std::vector<bool> LieInOwnMemory(const Graph& graph, const std::set<std::string>& targets) {
  std::vector<bool> own(graph.values().size()), others(graph.values().size());
  for (const GraphOutput& output : graph.outputs()) others[output.value] = true;
  for (const Node& node : graph.nodes())
    for (const ValueId input : node.inputs)
      (targets.contains(node.target) ? own : others)[input] = true;
  for (ValueId id = 0; id < std::ssize(graph.values()); ++id) {
    const Node* const maker = graph.Producer(id);
    own[id] = maker ? targets.contains(maker->target) : own[id] && !others[id];
  }
  return own;
}

}  // namespace vta::compiler
