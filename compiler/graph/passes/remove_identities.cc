// Removal of ops that change nothing.
#include <algorithm>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

bool IsIdentity(const Graph& graph, const Node& node) {
  const TensorType& in = graph.type(node.inputs[0]);
  const TensorType& out = graph.type(node.output);
  switch (node.op) {
    case Op::kIdentity:
      return true;
    case Op::kCast:
    case Op::kReshape:
      return in == out;
    case Op::kConcat:
      return node.inputs.size() == 1;
    case Op::kTranspose:
      return std::ranges::is_sorted(node.Ints("perm"));
    case Op::kPad:
      return std::ranges::all_of(node.Ints("pads"), [](int64_t p) { return p == 0; });
    default:
      return false;
  }
}

}  // namespace

Graph RemoveIdentities(const Graph& graph, const PassContext&) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  for (const Node& node : graph.nodes()) {
    const ValueId input = rebuild.Map(node.inputs[0]);
    if (IsIdentity(graph, node)) {
      rebuild.Replace(node, input);
      continue;
    }
    const Node* producer = fresh.Producer(input);
    const Op twin = node.op;  // reshape of reshape, and flip_sign of flip_sign
    if (!producer || producer->op != twin || (twin != Op::kReshape && twin != Op::kFlipSign)) {
      rebuild.Copy(node);
      continue;
    }
    const ValueId source = producer->inputs[0];
    if (fresh.type(source) == graph.type(node.output)) {
      rebuild.Replace(node, source);
    } else {
      rebuild.CopyWith(node, {source}, node.attributes);
    }
  }
  return rebuild.Finish();
}

}  // namespace vta::compiler
