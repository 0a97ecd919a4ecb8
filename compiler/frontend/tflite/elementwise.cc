// Converters of element-wise operators, and fused activation functions.
#include <limits>

#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

ValueId Clip(TfliteNode& node, ValueId x, double low, double high) {
  return node.Emit(Op::kClip, {x}, {{"low", low}, {"high", high}});
}

template <typename T>
void Binary(TfliteNode& node, Op op) {
  const int activation = static_cast<int>(node.Options<T>().fused_activation_function());
  const ValueId y = node.Emit(op, {node.Real(0), node.Real(1)});
  node.Result(Activate(node, y, activation));
}

}  // namespace

ValueId Activate(TfliteNode& node, ValueId value, int activation) {
  switch (static_cast<schema::ActivationFunctionType>(activation)) {
    case schema::ActivationFunctionType::NONE:
      return value;
    case schema::ActivationFunctionType::RELU:
      return node.Emit(Op::kRelu, {value});
    case schema::ActivationFunctionType::RELU_N1_TO_1:
      return Clip(node, value, -1, 1);
    case schema::ActivationFunctionType::RELU6:
      return Clip(node, value, 0, 6);
    case schema::ActivationFunctionType::TANH:
      return node.Emit(Op::kTanh, {value});
    default:
      throw node.Fail("fused activation function", StrCat(activation), "is not supported");
  }
}

void ConvertAdd(TfliteNode& node) { Binary<schema::AddOptions>(node, Op::kAdd); }
void ConvertSub(TfliteNode& node) { Binary<schema::SubOptions>(node, Op::kSub); }
void ConvertMul(TfliteNode& node) { Binary<schema::MulOptions>(node, Op::kMul); }
void ConvertDiv(TfliteNode& node) { Binary<schema::DivOptions>(node, Op::kDiv); }

void ConvertRelu6(TfliteNode& node) { node.Result(Clip(node, node.Real(0), 0, 6)); }
void ConvertReluN1To1(TfliteNode& node) { node.Result(Clip(node, node.Real(0), -1, 1)); }

}  // namespace vta::compiler
