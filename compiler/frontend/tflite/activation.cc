// Converters of activation functions, and those that are fused into other operators.
#include <cmath>

#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {

namespace schema = tflite_schema;

namespace {

/// What the kernels clamp codes to: the code next to the bound, of two as near the outer one.
double Bound(const TfliteNode& node, double real) {
  const auto scales = node.OutputScales();
  if (IsFloat(node.OutputType()) || !scales || !scales->PerTensor()) return real;
  const float scale = scales->scales[0];
  return double{std::round(static_cast<float>(real) / scale)} * double{scale};
}

ValueId Clip(TfliteNode& node, ValueId x, double low, double high) {
  return node.Emit(Op::kClip, {x}, {{"low", Bound(node, low)}, {"high", Bound(node, high)}});
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

void ConvertRelu6(TfliteNode& node) { node.Result(Clip(node, node.Real(0), 0, 6)); }
void ConvertReluN1To1(TfliteNode& node) { node.Result(Clip(node, node.Real(0), -1, 1)); }
void ConvertRelu0To1(TfliteNode& node) { node.Result(Clip(node, node.Real(0), 0, 1)); }

void ConvertLeakyRelu(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const double alpha = node.Options<schema::LeakyReluOptions>().alpha();
  node.Result(m(Op::kAdd, m.Above(), m(Op::kMul, m.Below(), alpha)));
}

void ConvertPRelu(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kAdd, m.Above(), m(Op::kMul, m.Below(), node.Real(1))));
}

void ConvertElu(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kAdd, m.Above(), m(Op::kSub, m(Op::kExp, m.Below()), 1.0)));
}

void ConvertHardSwish(TfliteNode& node) { node.Result(HardSwishOf({node, node.Real(0)})); }

void ConvertGelu(TfliteNode& node) {
  node.Result(GeluOf({node, node.Real(0)}, node.Options<schema::GeluOptions>().approximate()));
}

}  // namespace vta::compiler
