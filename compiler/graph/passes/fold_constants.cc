// Constant folding.
#include <algorithm>
#include <optional>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

/// A folded constant may be larger than what it was made of, but not without bound.
constexpr int64_t kMostGrowthBytes = 1 << 20;

bool CanFold(const Graph& graph, const Node& node, const std::vector<ValueId>& inputs,
             int64_t output_bytes, bool keep_codes) {
  if (!Spec(node.op).traits.fold && (keep_codes || node.op != Op::kDequantize)) return false;
  int64_t input_bytes = 0;
  for (ValueId input : inputs) {
    if (!graph.constant(input)) return false;
    input_bytes += graph.type(input).bytes();
  }
  return output_bytes <= 8 * input_bytes + kMostGrowthBytes;
}

/// The axis of `shape` that a reshape makes of an axis: as many elements lie before it and in it.
std::optional<int64_t> SameAxis(const Shape& from, int64_t axis, const Shape& shape) {
  const int64_t before = Elements(Shape(from.begin(), from.begin() + axis));
  int64_t passed = 1;
  for (size_t d = 0; d < shape.size(); passed *= shape[d++])
    if (passed == before && shape[d] == from[axis]) return static_cast<int64_t>(d);
  return std::nullopt;
}

bool TakesWholeAxis(const Shape& from, const Node& slice, int64_t axis) {
  return slice.Ints("steps")[axis] == 1 && slice.Ints("shape")[axis] == from[axis];
}

/// reshape, transpose or slice of dequantize(constant) -> dequantize of the moved constant. Weights
/// stay codes this way. Returns kNone where it does not apply.
ValueId MoveToCodes(Graph& graph, const Node& node, ValueId input) {
  const Node* producer = graph.Producer(input);
  if (!producer || producer->op != Op::kDequantize || !graph.constant(producer->inputs[0]))
    return kNone;
  const Node dequantize = *producer;  // emitting invalidates the pointer
  const bool per_tensor = graph.shape(dequantize.inputs[1]).empty();
  Attributes attributes = dequantize.attributes;
  if (node.op == Op::kTranspose) {
    const std::vector<int64_t>& perm = node.Ints("perm");
    const auto at = std::find(perm.begin(), perm.end(), dequantize.Int("axis"));
    attributes.Set("axis", per_tensor ? 0 : static_cast<int64_t>(at - perm.begin()));
  } else if (node.op == Op::kSlice) {
    if (!per_tensor && !TakesWholeAxis(graph.shape(input), node, dequantize.Int("axis")))
      return kNone;
  } else if (node.op != Op::kReshape) {
    return kNone;
  } else if (!per_tensor) {
    const auto axis = SameAxis(graph.shape(input), dequantize.Int("axis"), node.Ints("shape"));
    if (!axis) return kNone;
    attributes.Set("axis", *axis);
  }
  const ValueId moved = graph.Emit(node.op, node.name, {dequantize.inputs[0]}, node.attributes);
  const ValueId codes = graph.AddConstant(
      graph.value(dequantize.inputs[0]).name,
      EvaluateNode(graph, *graph.Producer(moved), {graph.constant(dequantize.inputs[0])}));
  const ValueId real = graph.Emit(Op::kDequantize, dequantize.name,
                                  {codes, dequantize.inputs[1], dequantize.inputs[2]}, attributes);
  graph.Place(graph.value(real).producer, dequantize.target, dequantize.group, dequantize.why);
  return real;
}

Graph Fold(const Graph& graph, bool keep_codes) {
  Rebuild rebuild(graph);
  Graph& fresh = rebuild.fresh();
  for (const Node& node : graph.nodes()) {
    const std::vector<ValueId> inputs = rebuild.MapInputs(node);
    if (CanFold(fresh, node, inputs, graph.type(node.output).bytes(), keep_codes)) {
      std::vector<const Tensor*> constants;
      for (ValueId input : inputs) constants.push_back(fresh.constant(input));
      rebuild.Replace(node, fresh.AddConstant(graph.value(node.output).name,
                                              EvaluateNode(graph, node, constants)));
    } else if (ValueId moved = MoveToCodes(fresh, node, inputs[0]); moved != kNone) {
      rebuild.Replace(node, moved);
    } else {
      rebuild.Copy(node);
    }
  }
  return rebuild.Finish();
}

}  // namespace

Graph FoldConstants(const Graph& graph, const PassContext&) { return Fold(graph, true); }

Graph FoldDequantized(const Graph& graph, const PassContext&) { return Fold(graph, false); }

}  // namespace vta::compiler
