// Converters of element-wise operators that are more than one op of the graph.
#include <cmath>
#include <limits>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"

namespace vta::compiler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// alpha * (e^x - 1) of what is below 0, x of the rest.
ValueId Exponential(const Math& m, ValueId below, double alpha) {
  const ValueId rest = m(Op::kSub, m(Op::kExp, below), 1.0);
  return m(Op::kAdd, m.Above(), m(Op::kMul, rest, alpha));
}

/// ln(1 + e^x), of which neither a large x nor a small one loses digits that count.
ValueId SoftplusOf(const Math& m) {
  const ValueId power = m(Op::kExp, m(Op::kMul, m(Op::kAbs, m.x), -1.0));
  return m(Op::kAdd, m.Above(), m(Op::kLog, m(Op::kAdd, power, 1.0)));
}

/// What is left of x less the multiple of b towards 0, with x's sign. A quotient of up to 12 bits
/// times each half of b's 24 is exact. One that is rounded up to a whole number leaves less than 0,
/// and one that is rounded down leaves b.
ValueId FloatRest(const Math& m, ValueId b) {
  constexpr double kHalfDigits = 1 << 12, kSmall = 1 << 13;  // of what must not overflow
  const ValueId size = m(Op::kAbs, m.x), by = m(Op::kAbs, b);
  const ValueId whole = m(Op::kFloor, m(Op::kDiv, size, by));
  const ValueId less = m(Op::kMul, by, 1 / kSmall), more = m(Op::kMul, less, kHalfDigits + 1);
  const ValueId high = m(Op::kMul, m(Op::kSub, more, m(Op::kSub, more, less)), kSmall);
  const ValueId coarse = m(Op::kSub, size, m(Op::kMul, whole, high));
  const ValueId rest = m(Op::kSub, coarse, m(Op::kMul, whole, m(Op::kSub, by, high)));
  const auto choose = [&](ValueId condition, ValueId a, ValueId otherwise) {
    return m.node.Emit(Op::kWhere, {condition, a, otherwise});
  };
  const ValueId up = choose(m(Op::kLess, rest, 0.0), m(Op::kAdd, rest, by), rest);
  const ValueId down = choose(m(Op::kLessEqual, by, up), m(Op::kSub, up, by), up);
  const ValueId left = choose(m(Op::kLess, size, by), size, down);
  return m(Op::kMul, m(Op::kSign, m.x), left);
}

}  // namespace

void ConvertClip(OnnxNode& node) {
  double low = -kInfinity, high = kInfinity;
  if (node.opset() < 11) {
    low = node.Float("min", low);
    high = node.Float("max", high);
  } else {
    if (node.IsConstant(1)) low = node.ConstantNumber(1, "input min");
    if (node.IsConstant(2)) high = node.ConstantNumber(2, "input max");
  }
  if (std::isnan(low) || std::isnan(high)) throw node.Fail("clip bounds", "nan", "must be numbers");
  const Math m{node, node.Input(0)};
  ValueId y = m.x;
  if (node.Has(1) && !node.IsConstant(1)) y = m(Op::kMax, y, node.Input(1));
  y = m.Clip(y, low, high);
  if (node.Has(2) && !node.IsConstant(2)) y = m(Op::kMin, y, node.Input(2));
  node.Result(y);
}

void ConvertMean(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  ValueId sum = m.x;
  for (int64_t i = 1; i < node.input_count(); ++i) sum = m(Op::kAdd, sum, node.Input(i));
  node.Result(m(Op::kDiv, sum, static_cast<double>(node.input_count())));
}

void ConvertNeg(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kMul, m.x, -1.0));
}

void ConvertReciprocal(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kDiv, 1.0, m.x));
}

void ConvertCeil(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kMul, m(Op::kFloor, m(Op::kMul, m.x, -1.0)), -1.0));
}

void ConvertGreater(OnnxNode& node) {
  node.Result(node.Emit(Op::kLess, {node.Input(1), node.Input(0)}));
}

void ConvertGreaterOrEqual(OnnxNode& node) {
  node.Result(node.Emit(Op::kLessEqual, {node.Input(1), node.Input(0)}));
}

void ConvertXor(OnnxNode& node) {
  for (int i = 0; i < 2; ++i)
    if (node.Type(i).dtype != DType::kBool)
      throw node.Fail("input type", std::string(Name(node.Type(i).dtype)), "must be bool");
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kNot, m(Op::kEqual, m.x, node.Input(1))));
}

void ConvertIsNaN(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kNot, m(Op::kEqual, m.x, m.x)));
}

void ConvertIsInf(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  ValueId found = m(Op::kLess, m.x, m.x);  // nothing
  if (node.Int("detect_negative", 1) != 0)
    found = m(Op::kOr, found, m(Op::kEqual, m.x, -kInfinity));
  if (node.Int("detect_positive", 1) != 0) found = m(Op::kOr, found, m(Op::kEqual, m.x, kInfinity));
  node.Result(found);
}

void ConvertMod(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId b = node.Input(1);
  if (node.Int("fmod", 0) == 0) {
    node.Result(m(Op::kMod, m.x, b));
    return;
  }
  if (IsFloat(node.Type(0).dtype)) {
    node.Result(FloatRest(m, b));
    return;
  }
  node.Result(m(Op::kSub, m.x, m(Op::kMul, m(Op::kDiv, m.x, b), b)));
}

/// Numbers are raised in float; integers only to a constant power, as products.
void ConvertPow(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const DType base = node.Type(0).dtype;
  if (IsFloat(base)) {
    ValueId exponent = node.Input(1);
    if (node.Type(1).dtype != base)
      exponent = node.Emit(Op::kCast, {exponent}, {{"to", std::string(Name(base))}});
    node.Result(m(Op::kPow, m.x, exponent));
    return;
  }
  constexpr double kMostPower = 64;
  const double power = node.IsConstant(1) ? node.ConstantNumber(1, "input Y") : -1;
  if (power != std::floor(power) || power < 0 || power > kMostPower)
    throw node.Fail("input Y", node.IsConstant(1) ? StrCat(power) : "not a constant",
                    "the power of integers must be a constant from 0 to 64");
  ValueId y = m(Op::kAdd, m(Op::kMul, m.x, 0.0), 1.0);
  for (int i = 0; i < static_cast<int>(power); ++i) y = i == 0 ? m.x : m(Op::kMul, y, m.x);
  node.Result(y);
}

void ConvertCastLike(OnnxNode& node) {
  node.Ignore("saturate");
  if (node.opset() >= 24) node.Ignore("round_mode");
  node.Result(
      node.Emit(Op::kCast, {node.Input(0)}, {{"to", std::string(Name(node.Type(1).dtype))}}));
}

void ConvertHardSigmoid(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId line =
      m(Op::kAdd, m(Op::kMul, m.x, node.Float("alpha", 0.2f)), node.Float("beta", 0.5));
  node.Result(m.Clip(line, 0, 1));
}

void ConvertHardSwish(OnnxNode& node) { node.Result(HardSwishOf({node, node.Input(0)})); }

void ConvertLeakyRelu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId below = m(Op::kMul, m.Below(), node.Float("alpha", 0.01f));
  node.Result(m(Op::kAdd, m.Above(), below));
}

void ConvertPRelu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kAdd, m.Above(), m(Op::kMul, m.Below(), node.Input(1))));
}

void ConvertElu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(Exponential(m, m.Below(), node.Float("alpha", 1)));
}

void ConvertSelu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId elu = Exponential(m, m.Below(), node.Float("alpha", 1.67326319217681884765625));
  node.Result(m(Op::kMul, elu, node.Float("gamma", 1.05070102214813232421875)));
}

void ConvertCelu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const double alpha = node.Float("alpha", 1);
  node.Result(Exponential(m, m(Op::kDiv, m.Below(), alpha), alpha));
}

void ConvertSoftplus(OnnxNode& node) { node.Result(SoftplusOf({node, node.Input(0)})); }

void ConvertMish(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kMul, m.x, m(Op::kTanh, SoftplusOf(m))));
}

void ConvertSoftsign(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kDiv, m.x, m(Op::kAdd, m(Op::kAbs, m.x), 1.0)));
}

void ConvertSwish(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId gate = m(Op::kSigmoid, m(Op::kMul, m.x, node.Float("alpha", 1)));
  node.Result(m(Op::kMul, m.x, gate));
}

void ConvertGelu(OnnxNode& node) {
  const std::string approximate = node.String("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    throw node.Fail("attribute approximate", approximate, "must be none or tanh");
  node.Result(GeluOf({node, node.Input(0)}, approximate == "tanh"));
}

void ConvertThresholdedRelu(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId above = m(Op::kLess, node.Float("alpha", 1), m.x);
  node.Result(node.Emit(Op::kWhere, {above, m.x, m.Number(0)}));
}

void ConvertShrink(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const double lambda = node.Float("lambd", 0.5), bias = node.Float("bias", 0);
  const ValueId below = m(Op::kLess, m.x, -lambda), above = m(Op::kLess, lambda, m.x);
  const ValueId high = node.Emit(Op::kWhere, {above, m(Op::kSub, m.x, bias), m.Number(0)});
  node.Result(node.Emit(Op::kWhere, {below, m(Op::kAdd, m.x, bias), high}));
}

}  // namespace vta::compiler
