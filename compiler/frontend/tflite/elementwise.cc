// Converters of element-wise operators that are more than one op of the graph.
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/sixteen.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

template <typename T>
int ActivationOf(const TfliteNode& node) {
  return static_cast<int>(node.Options<T>().fused_activation_function());
}

template <typename T>
void Binary(TfliteNode& node, Op op) {
  const ValueId y = node.Emit(op, {node.Real(0), node.Real(1)});
  node.Result(Activate(node, y, ActivationOf<T>(node)));
}

}  // namespace

void ConvertAdd(TfliteNode& node) {
  if (OfSixteenBits(node)) return AddSixteen(node, false, ActivationOf<schema::AddOptions>(node));
  Binary<schema::AddOptions>(node, Op::kAdd);
}

void ConvertSub(TfliteNode& node) {
  if (OfSixteenBits(node)) return AddSixteen(node, true, ActivationOf<schema::SubOptions>(node));
  Binary<schema::SubOptions>(node, Op::kSub);
}

void ConvertMul(TfliteNode& node) {
  if (OfSixteenBits(node)) return MultiplySixteen(node, ActivationOf<schema::MulOptions>(node));
  Binary<schema::MulOptions>(node, Op::kMul);
}

void ConvertLogistic(TfliteNode& node) {
  if (OfSixteenBits(node)) return FunctionSixteen(node, CodeFunction::kLogistic);
  node.Result(node.Emit(Op::kSigmoid, {node.Real(0)}));
}

void ConvertTanh(TfliteNode& node) {
  if (OfSixteenBits(node)) return FunctionSixteen(node, CodeFunction::kTanh);
  node.Result(node.Emit(Op::kTanh, {node.Real(0)}));
}

void ConvertDiv(TfliteNode& node) { Binary<schema::DivOptions>(node, Op::kDiv); }

void ConvertAddN(TfliteNode& node) {
  ValueId sum = node.Real(0);
  for (int64_t i = 1; i < node.input_count(); ++i) sum = node.Emit(Op::kAdd, {sum, node.Real(i)});
  node.Result(sum);
}

void ConvertNeg(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kMul, m.x, -1.0));
}

void ConvertCeil(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kMul, m(Op::kFloor, m(Op::kMul, m.x, -1.0)), -1.0));
}

void ConvertRsqrt(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kDiv, 1.0, m(Op::kSqrt, m.x)));
}

void ConvertSquare(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  node.Result(m(Op::kMul, m.x, m.x));
}

void ConvertSquaredDifference(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const ValueId difference = m(Op::kSub, m.x, node.Real(1));
  node.Result(m(Op::kMul, difference, difference));
}

/// Rounded down; integers by what is left.
void ConvertFloorDiv(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const ValueId b = node.Real(1);
  if (IsFloat(node.type(m.x).dtype)) {
    node.Result(m(Op::kFloor, m(Op::kDiv, m.x, b)));
    return;
  }
  node.Result(m(Op::kDiv, m(Op::kSub, m.x, m(Op::kMod, m.x, b)), b));
}

void ConvertFloorMod(TfliteNode& node) {
  const Math m{node, node.Real(0)};
  const ValueId b = node.Real(1);
  if (!IsFloat(node.type(m.x).dtype)) {
    node.Result(m(Op::kMod, m.x, b));
    return;
  }
  const ValueId whole = m(Op::kFloor, m(Op::kDiv, m.x, b));
  node.Result(m(Op::kSub, m.x, m(Op::kMul, whole, b)));
}

void ConvertGreater(TfliteNode& node) {
  node.Result(node.Emit(Op::kLess, {node.Real(1), node.Real(0)}));
}

void ConvertGreaterEqual(TfliteNode& node) {
  node.Result(node.Emit(Op::kLessEqual, {node.Real(1), node.Real(0)}));
}

void ConvertNotEqual(TfliteNode& node) {
  const ValueId equal = node.Emit(Op::kEqual, {node.Real(0), node.Real(1)});
  node.Result(node.Emit(Op::kNot, {equal}));
}

/// A condition of one dimension chooses whole rows.
void ConvertSelect(TfliteNode& node) {
  Shape rows = node.InputShape(0);
  if (rows.size() == 1) rows.resize(std::max<size_t>(node.InputShape(1).size(), 1), 1);
  const ValueId condition = node.Reshape(node.Stored(0), rows);
  node.Result(node.Emit(Op::kWhere, {condition, node.Real(1), node.Real(2)}));
}

}  // namespace vta::compiler
