// Transpose elimination: op(transpose(x)) -> transpose(op(x)), until two cancel.
#include <algorithm>
#include <optional>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

using Perm = std::vector<int64_t>;

Perm Inverse(const Perm& perm) {
  Perm inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = static_cast<int64_t>(i);
  return inverse;
}

/// Whether the axes longer than 1 keep their order, so that no element moves.
bool OnlyReshapes(const Shape& shape, const Perm& perm) {
  int64_t last = -1;
  for (int64_t axis : perm) {
    if (shape[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

/// The attributes of an op that works before the transpose as it did after it; nothing where it
/// cannot.
std::optional<Attributes> Permuted(const Graph& graph, const Node& node, const Perm& perm) {
  Attributes attributes = node.attributes;
  switch (node.op) {
    case Op::kIdentity:
      return attributes;
    case Op::kQuantize:
    case Op::kDequantize:
      if (!graph.shape(node.inputs[1]).empty()) attributes.Set("axis", perm[node.Int("axis")]);
      return attributes;
    case Op::kSoftmax:
    case Op::kConcat:
      attributes.Set("axis", perm[node.Int("axis")]);
      return attributes;
    case Op::kPad: {
      const Perm& pads = node.Ints("pads");
      Perm moved(pads.size());
      for (size_t i = 0; i < perm.size(); ++i) {
        moved[perm[i]] = pads[i];
        moved[perm[i] + perm.size()] = pads[i + perm.size()];
      }
      attributes.Set("pads", moved);
      return attributes;
    }
    case Op::kSlice:
      for (const char* name : {"starts", "steps", "shape"}) {
        Perm moved(perm.size());
        for (size_t i = 0; i < perm.size(); ++i) moved[perm[i]] = node.Ints(name)[i];
        attributes.Set(name, moved);
      }
      return attributes;
    case Op::kReduceMean:
    case Op::kReduceSum:
    case Op::kReduceMax:
    case Op::kReduceMin: {
      Perm axes;
      for (int64_t axis : node.Ints("axes")) axes.push_back(perm[axis]);
      std::sort(axes.begin(), axes.end());
      attributes.Set("axes", axes);
      return attributes;
    }
    default:
      if (Spec(node.op).traits.elementwise) return attributes;
      return std::nullopt;
  }
}

/// The permutation that is left after the op.
Perm Remaining(const Node& node, const Perm& perm) {
  if (!node.attributes.Has("keepdims") || node.Int("keepdims") != 0) return perm;
  const Perm& axes = node.Ints("axes");
  Perm kept;
  for (size_t i = 0; i < perm.size(); ++i) {
    if (std::ranges::find(axes, static_cast<int64_t>(i)) == axes.end()) kept.push_back(perm[i]);
  }
  Perm sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t& axis : kept) axis = std::ranges::find(sorted, axis) - sorted.begin();
  return kept;
}

class Sinker {
 public:
  explicit Sinker(const Graph& graph) : rebuild_(graph), fresh_(rebuild_.fresh()) {}

  Graph Run() {
    for (const Node& node : rebuild_.old().nodes()) {
      if (!Sink(node)) rebuild_.Copy(node);
    }
    return rebuild_.Finish();
  }

 private:
  /// transpose(value), or what it simplifies to.
  ValueId Transpose(ValueId value, Perm perm, const std::string& name) {
    if (const Node* producer = fresh_.Producer(value); producer && producer->op == Op::kTranspose) {
      const Perm& first = producer->Ints("perm");
      for (int64_t& axis : perm) axis = first[axis];
      value = producer->inputs[0];
    }
    if (std::ranges::is_sorted(perm)) return value;
    if (!OnlyReshapes(fresh_.shape(value), perm))
      return fresh_.Emit(Op::kTranspose, name, {value}, {{"perm", perm}});
    Shape shape;
    for (int64_t axis : perm) shape.push_back(fresh_.shape(value)[axis]);
    return fresh_.Emit(Op::kReshape, name, {value}, {{"shape", shape}});
  }

  /// What operand to use in place of one after the transpose; kNone where there is none.
  ValueId BeforeTranspose(const Node& node, size_t input, ValueId value, const Perm& perm) {
    const bool parameter = (node.op == Op::kQuantize || node.op == Op::kDequantize) && input > 0;
    if (parameter) return value;
    const Node* producer = fresh_.Producer(value);
    if (producer && producer->op == Op::kTranspose && producer->Ints("perm") == perm)
      return producer->inputs[0];
    const Tensor* constant = fresh_.constant(value);
    const Shape& own = fresh_.shape(value);
    // A number for each channel of planes. Lines of a matrix stay lines.
    constexpr size_t kPlanes = 4;
    if (!constant && own.size() == kPlanes && perm.size() == kPlanes &&
        OnlyReshapes(own, Inverse(perm)))
      return Transpose(value, Inverse(perm), node.name);
    if (!constant || own.size() > perm.size()) return kNone;
    if (constant->elements() == 1 && node.op != Op::kConcat) return value;
    Shape shape = constant->shape();  // with the leading ones that broadcasting implies
    shape.insert(shape.begin(), perm.size() - shape.size(), 1);
    const ValueId full = fresh_.AddConstant(fresh_.value(value).name, constant->Reshaped(shape));
    const ValueId moved = fresh_.Emit(Op::kTranspose, node.name, {full}, {{"perm", Inverse(perm)}});
    return fresh_.AddConstant(
        fresh_.value(value).name,
        EvaluateNode(fresh_, *fresh_.Producer(moved), {fresh_.constant(full)}));
  }

  bool Sink(const Node& node) {
    std::vector<ValueId> inputs = rebuild_.MapInputs(node);
    if (node.op == Op::kTranspose) {
      rebuild_.Replace(node, Transpose(inputs[0], node.Ints("perm"), node.name));
      return true;
    }
    Perm perm;  // of the first operand that is transposed
    for (ValueId input : inputs) {
      const Node* producer = fresh_.Producer(input);
      if (producer && producer->op == Op::kTranspose && perm.empty()) perm = producer->Ints("perm");
    }
    if (perm.empty() || perm.size() < rebuild_.old().shape(node.inputs[0]).size()) return false;
    const auto attributes = Permuted(rebuild_.old(), node, perm);
    if (!attributes) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = BeforeTranspose(node, i, inputs[i], perm);
      if (inputs[i] == kNone) return false;
    }
    const ValueId result = fresh_.Emit(node.op, node.name, inputs, *attributes);
    rebuild_.Replace(node, Transpose(result, Remaining(node, perm), node.name));
    return true;
  }

  Rebuild rebuild_;
  Graph& fresh_;
};

}  // namespace

Graph SinkTransposes(const Graph& graph, const PassContext&) { return Sinker(graph).Run(); }

}  // namespace vta::compiler
