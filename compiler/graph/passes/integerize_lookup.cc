// Integerize: functions of one code. What is computed element by element from the codes of one
// tensor and from numbers becomes a table of the codes that all 256 give, in the arithmetic of the
// model's own operators.
#include <algorithm>
#include <cmath>

#include "compiler/graph/evaluate.h"
#include "compiler/graph/passes/integerizer.h"

namespace vta::compiler {

/// The function as a graph: of x, the reals that the codes stand for, of which there are 256.
struct Integerizer::CodeFunction {
  static constexpr size_t kMostNodes = 64;

  Graph graph{"function"};
  ValueId x = graph.AddInput("x", {DType::kFloat32, {256}});
  std::optional<Codes> codes;
  std::map<ValueId, ValueId> made;  // by real value
};

namespace {

/// The number that a value is, if it is one, known and the same for all elements.
std::optional<Tensor> NumberOf(const Graph& graph, ValueId real) {
  std::optional<Tensor> number;
  if (const Tensor* constant = graph.constant(real)) {
    number = *constant;
  } else if (const Node* producer = graph.Producer(real);
             producer && producer->op == Op::kDequantize) {
    std::vector<const Tensor*> inputs;
    for (ValueId input : producer->inputs) inputs.push_back(graph.constant(input));
    if (std::ranges::count(inputs, nullptr) > 0 || graph.shape(real) != Shape{}) return {};
    number = EvaluateNode(graph, *producer, inputs);
  }
  if (!number || number->elements() != 1) return std::nullopt;
  return number->Reshaped({});
}

bool ComputesEach(const Graph& graph, const Node& node) {
  const DType type = graph.type(node.output).dtype;
  return Spec(node.op).traits.elementwise && node.op != Op::kDequantize &&
         (type == DType::kFloat32 || type == DType::kBool);
}

int8_t CodeIn(float real, const CodeTarget& target) {
  const int64_t code = std::isnan(real) ? target.zero_point : CodeOf(real, target);
  return static_cast<int8_t>(std::clamp(code, target.low, target.high));
}

}  // namespace

ValueId Integerizer::Trace(ValueId real, const Shape& shape, CodeFunction& function) {
  if (const auto found = function.made.find(real); found != function.made.end())
    return found->second;
  if (const auto number = NumberOf(fresh_, real)) return function.graph.AddConstant("c", *number);
  const Node* producer = fresh_.Producer(real);
  if (!producer || fresh_.shape(real) != shape || depth_ >= kMostDepth ||
      function.graph.nodes().size() >= CodeFunction::kMostNodes)
    return kNone;
  const Node node = *producer;  // emitting moves the graph's nodes
  ++depth_;
  ValueId made = kNone;
  if (ComputesEach(fresh_, node)) {
    std::vector<ValueId> inputs;
    for (ValueId input : node.inputs) {
      inputs.push_back(Trace(input, shape, function));
      if (inputs.back() == kNone) break;
    }
    if (inputs.back() != kNone)
      made = function.graph.Emit(node.op, node.name, inputs, node.attributes);
  } else if (const auto codes = AsCodes(real)) {
    if (!function.codes) function.codes = codes;
    const Codes& first = *function.codes;
    if (codes->value == first.value && codes->scale == first.scale &&
        codes->zero_point == first.zero_point)
      made = function.x;
  }
  --depth_;
  return function.made[real] = made;
}

ValueId Integerizer::Lookup(const Node& node, const CodeTarget& target) {
  if (!ComputesEach(fresh_, node)) return kNone;
  CodeFunction function;
  const ValueId y = Trace(node.output, fresh_.shape(node.output), function);
  if (y == kNone || !function.codes) return kNone;
  function.graph.AddOutput("y", y);
  Tensor reals(TensorType{DType::kFloat32, {256}});
  for (int64_t i = 0; i < 256; ++i)
    reals.mutable_data<float>()[i] = static_cast<float>(i - 128 - function.codes->zero_point) *
                                     static_cast<float>(function.codes->scale);
  const Tensor values = Evaluate(function.graph, {reals})[0];
  Tensor table(TensorType{DType::kInt8, {256}});
  for (int64_t i = 0; i < 256; ++i)
    table.mutable_data<int8_t>()[i] = CodeIn(values.data<float>()[i], target);
  const ValueId codes = fresh_.AddConstant("table", std::move(table));
  return fresh_.Emit(Op::kLookupI8, node.name, {function.codes->value, codes}, {});
}

}  // namespace vta::compiler
