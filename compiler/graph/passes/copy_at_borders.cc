// Copies: what a step reads that lies in another memory than its target works in is copied there,
// once for all steps that read it.
#include <map>

#include "compiler/graph/ops.h"
#include "compiler/graph/own_memory.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {

Graph CopyAtBorders(const Graph& graph, const PassContext& context) {
  std::set<std::string> own;
  for (const Target* target : context.Takers())
    if (target->HasOwnMemory()) own.insert(target->Name());
  const std::vector<bool> lies_there = LieInOwnMemory(graph, own);
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  std::map<ValueId, ValueId> copies;  // by old value
  for (const Node& node : graph.nodes()) {
    std::vector<ValueId> inputs = rebuild.MapInputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId from = node.inputs[i];
      if (graph.constant(from) || lies_there[from] == own.contains(node.target)) continue;
      const auto [copy, is_new] = copies.try_emplace(from, kNone);
      if (is_new) {
        copy->second = fresh.Emit(Op::kCopy, graph.value(from).name + ".copy", {inputs[i]}, {});
        fresh.Place(fresh.value(copy->second).producer, node.target, kNone);
        if (const auto& storage = graph.value(from).storage) fresh.Store(copy->second, *storage);
      }
      inputs[i] = copy->second;
    }
    rebuild.CopyWith(node, inputs, node.attributes);
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
