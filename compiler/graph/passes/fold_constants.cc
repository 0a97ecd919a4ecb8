// Constant folding.
#include <algorithm>
#include <numeric>
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

bool MovesValues(Op op) {
  return op == Op::kTranspose || op == Op::kReshape || op == Op::kSlice || op == Op::kGather ||
         op == Op::kPad;
}

/// The axis along which moved values have scales of their own, and which of the scales is whose.
struct MovedScales {
  int64_t axis;
  std::vector<int64_t> of;
};

/// Where a node that moves values puts those of `from`, which have a scale for each index of an
/// axis; nothing where that is no
/// longer an axis.
std::optional<MovedScales> MoveScales(const Node& node, const std::vector<const Tensor*>& inputs,
                                      int64_t axis) {
  if (!MovesValues(node.op)) return std::nullopt;
  const Shape& from = inputs[0]->shape();
  MovedScales moved{axis, std::vector<int64_t>(from[axis])};
  std::iota(moved.of.begin(), moved.of.end(), 0);
  if (node.op == Op::kTranspose) {
    moved.axis = std::ranges::find(node.Ints("perm"), axis) - node.Ints("perm").begin();
  } else if (node.op == Op::kReshape) {
    // As many elements lie behind it; those before it may be in it, too.
    const Shape& to = node.Ints("shape");
    const auto behind = [](const Shape& shape, int64_t d) {
      return Elements(Shape(shape.begin() + d + 1, shape.end()));
    };
    moved.axis = std::ssize(to) - 1;
    while (moved.axis >= 0 &&
           (behind(to, moved.axis) != behind(from, axis) || to[moved.axis] % from[axis] != 0))
      --moved.axis;
    if (moved.axis < 0) return std::nullopt;
    moved.of.resize(to[moved.axis]);
    for (size_t i = 0; i < moved.of.size(); ++i) moved.of[i] = static_cast<int64_t>(i) % from[axis];
  } else if (node.op == Op::kSlice) {
    moved.of.resize(node.Ints("shape")[axis]);
    for (size_t i = 0; i < moved.of.size(); ++i)
      moved.of[i] = node.Ints("starts")[axis] + static_cast<int64_t>(i) * node.Ints("steps")[axis];
  } else if (node.op == Op::kGather) {
    const Tensor& places = *inputs[1];
    if (node.Int("axis") < axis) moved.axis += std::ssize(places.shape()) - 1;
    if (node.Int("axis") != axis) return moved;
    if (places.shape().size() != 1) return std::nullopt;
    moved.of.clear();
    for (int64_t i = 0; i < places.elements(); ++i) {
      const auto place = static_cast<int64_t>(places.At(i));
      moved.of.push_back(place < 0 ? place + from[axis] : place);
    }
  } else if (node.op == Op::kPad) {
    const std::vector<int64_t>& pads = node.Ints("pads");
    if (pads[axis] != 0 || pads[axis + pads.size() / 2] != 0) return std::nullopt;
  }
  return moved;
}

/// The elements of a list of scales or zero points that are whose.
ValueId Pick(Graph& graph, ValueId list, const std::vector<int64_t>& of) {
  const Tensor& from = *graph.constant(list);
  Tensor to(TensorType{from.dtype(), {std::ssize(of)}});
  const int64_t size = Bytes(from.dtype());
  for (size_t i = 0; i < of.size(); ++i)
    std::copy_n(&from.bytes()[of[i] * size], size, &to.mutable_bytes()[i * size]);
  return to == from ? list : graph.AddConstant(graph.value(list).name, std::move(to));
}

/// The code that stands for 0 at all places, if there is one.
std::optional<double> ZeroCode(const Tensor& zero_points) {
  for (int64_t i = 1; i < zero_points.elements(); ++i)
    if (zero_points.At(i) != zero_points.At(0)) return std::nullopt;
  return zero_points.At(0);
}

/// What moves values, of dequantize(constant) -> dequantize of the moved constant. Weights stay
/// codes this way. Returns kNone where it does not apply.
ValueId MoveToCodes(Graph& graph, const Node& node, const std::vector<ValueId>& inputs) {
  const Node* producer = graph.Producer(inputs[0]);
  if (!producer || producer->op != Op::kDequantize) return kNone;
  const Node dequantize = *producer;  // emitting invalidates the pointer
  std::vector<ValueId> operands = dequantize.inputs, moved_inputs = inputs;
  moved_inputs[0] = operands[0];
  std::vector<const Tensor*> constants;
  for (const auto* list : {&operands, &moved_inputs})
    for (const ValueId value : *list)
      if (!graph.constant(value)) return kNone;
  for (const ValueId value : moved_inputs) constants.push_back(graph.constant(value));
  Attributes moving = node.attributes;
  if (node.op == Op::kPad) {
    const auto zero = ZeroCode(*graph.constant(operands[2]));
    if (!zero || node.attributes.Double("value") != 0) return kNone;
    moving.Set("value", *zero);
  }
  Attributes attributes = dequantize.attributes;
  if (graph.shape(operands[1]).empty()) {
    if (!MovesValues(node.op)) return kNone;
    attributes.Set("axis", int64_t{0});
  } else {
    const auto scales = MoveScales(node, constants, dequantize.Int("axis"));
    if (!scales) return kNone;
    attributes.Set("axis", scales->axis);
    for (const int i : {1, 2}) operands[i] = Pick(graph, operands[i], scales->of);
  }
  const ValueId moved = graph.Emit(node.op, node.name, moved_inputs, std::move(moving));
  operands[0] = graph.AddConstant(graph.value(dequantize.inputs[0]).name,
                                  EvaluateNode(graph, *graph.Producer(moved), constants));
  const ValueId real = graph.Emit(Op::kDequantize, dequantize.name, operands, attributes);
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
    } else if (ValueId moved = MoveToCodes(fresh, node, inputs); moved != kNone) {
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
