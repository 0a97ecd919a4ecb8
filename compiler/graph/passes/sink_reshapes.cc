// Reshapes between a product of matrices and what is done to each of its elements, or its lines:
// that comes first, so that it is of the product's kernel. Reshapes of reshapes are one, or none.
#include <algorithm>
#include <set>

#include "compiler/graph/ops.h"
#include "compiler/graph/passes/passes.h"
#include "compiler/graph/rebuild.h"

namespace vta::compiler {
namespace {

class ReshapeSinker {
 public:
  explicit ReshapeSinker(const Graph& graph) : rebuild_(graph), fresh_(rebuild_.fresh()) {}

  Graph Run() {
    for (const Node& node : rebuild_.old().nodes()) {
      if (node.op == Op::kReshape)
        rebuild_.Replace(node, As(rebuild_.Map(node.inputs[0]), node.Ints("shape"), node.name));
      else if (!DoBefore(node))
        Note(rebuild_.Copy(node));
    }
    return rebuild_.Finish();
  }

 private:
  ValueId Source(ValueId value) const {
    const Node* maker = fresh_.Producer(value);
    for (; maker && maker->op == Op::kReshape; maker = fresh_.Producer(value))
      value = maker->inputs[0];
    return value;
  }
  ValueId As(ValueId value, const Shape& shape, const std::string& name) {
    const ValueId source = Source(value);
    const Tensor* const constant = fresh_.constant(source);
    if (!constant || constant->shape() == shape) return Reshaped(fresh_, source, shape, name);
    return fresh_.AddConstant(fresh_.value(source).name, constant->Reshaped(shape));
  }

  /// What a product makes, and what is made of each element of that.
  void Note(ValueId made) {
    const Node& maker = *fresh_.Producer(made);
    if (fresh_.type(made).dtype != DType::kFloat32) return;
    const bool is_made =
        maker.op == Op::kGemm || maker.op == Op::kMatMul ||
        (Spec(maker.op).traits.elementwise && std::ranges::any_of(maker.inputs, [&](ValueId input) {
           return made_.contains(input) && fresh_.shape(input) == fresh_.shape(made);
         }));
    if (is_made) made_.insert(made);
  }

  /// An operand of a result of the shape `from`, for one of the shape `to`; kNone where none is
  /// alike.
  ValueId Operand(ValueId value, const Shape& from, const Shape& to, const std::string& name) {
    const Shape& shape = fresh_.shape(value);
    if (shape == from) return As(value, to, name);
    if (Elements(shape) == 1) return As(value, Shape(to.size(), 1), name);
    const auto first = std::ranges::find_if(shape, [](int64_t size) { return size != 1; });
    const Shape own(first, shape.end());
    if (own.size() > to.size() || !std::equal(own.rbegin(), own.rend(), from.rbegin()) ||
        !std::equal(own.rbegin(), own.rend(), to.rbegin()))
      return kNone;
    return As(value, own, name);
  }

  bool DoBefore(const Node& node) {
    const Shape& shape = rebuild_.old().shape(node.output);
    const bool of_lines = (node.op == Op::kSoftmax || node.op == Op::kNormalize) &&
                          node.Int("axis") + 1 == std::ssize(shape);
    if ((!Spec(node.op).traits.elementwise && !of_lines) ||
        rebuild_.old().type(node.output).dtype != DType::kFloat32)
      return false;
    std::vector<ValueId> inputs = rebuild_.MapInputs(node);
    const auto reshaped = std::ranges::find_if(inputs, [&](ValueId input) {
      return fresh_.shape(input) == shape && Source(input) != input &&
             made_.contains(Source(input));
    });
    if (reshaped == inputs.end()) return false;
    const Shape to = fresh_.shape(Source(*reshaped));
    if (of_lines && (to.empty() || to.back() != shape.back())) return false;
    for (ValueId& input : inputs) {
      input = Operand(input, shape, to, node.name);
      if (input == kNone) return false;
    }
    Attributes attributes = node.attributes;
    if (of_lines) attributes.Set("axis", std::ssize(to) - 1);
    const ValueId made = fresh_.Emit(node.op, node.name, inputs, std::move(attributes));
    made_.insert(made);
    rebuild_.Replace(node, As(made, shape, node.name));
    return true;
  }

  Rebuild rebuild_;
  Graph& fresh_;
  std::set<ValueId> made_;
};

}  // namespace

Graph SinkReshapes(const Graph& graph, const PassContext&) { return ReshapeSinker(graph).Run(); }

}  // namespace vta::compiler
