// Removal of ops that change nothing, or that the op before can do.
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

/// A slice of an interleaved picture that leaves out places at its borders alone -> its crops.
bool CropPicture(Rebuild& rebuild, const Node& slice) {
  const Graph& old = rebuild.old();
  const Node* picture = old.Producer(slice.inputs[0]);
  if (slice.op != Op::kSlice || !picture || picture->op != Op::kDepthToSpace) return false;
  const Shape &from = old.shape(slice.inputs[0]), &to = old.shape(slice.output);
  const std::vector<int64_t>&starts = slice.Ints("starts"), &steps = slice.Ints("steps");
  const size_t axes = picture->Ints("blocks").size();
  if (from.size() != axes + 2 || from[0] != to[0] || from[1] != to[1] ||
      std::ranges::any_of(steps, [](int64_t step) { return step != 1; }))
    return false;
  std::vector<int64_t> crops = picture->Ints("crops");
  for (size_t axis = 0; axis < axes; ++axis) {
    crops[axis] += starts[2 + axis];
    crops[axes + axis] += from[2 + axis] - starts[2 + axis] - to[2 + axis];
  }
  Attributes attributes = picture->attributes;
  attributes.Set("crops", crops);
  rebuild.Replace(slice, rebuild.fresh().Emit(Op::kDepthToSpace, picture->name,
                                              {rebuild.Map(picture->inputs[0])}, attributes));
  return true;
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
    if (CropPicture(rebuild, node)) continue;
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
