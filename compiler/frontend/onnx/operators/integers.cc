// Converters of operators that quantise while they run, and of products of codes in int32.
#include "compiler/frontend/onnx/operators/integers.h"

#include <algorithm>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators/window.h"

namespace vta::compiler {
namespace {

ValueId CastTo(OnnxNode& node, ValueId x, DType dtype) {
  return node.type(x).dtype == dtype
             ? x
             : node.Emit(Op::kCast, {x}, {{"to", std::string(Name(dtype))}});
}

/// uint8 codes of x, and their scale and zero point, both as float32.
struct Codes {
  ValueId codes, scale, zero;
};

/// Of the range of all of x, which has 0 in it.
Codes QuantizeDynamically(OnnxNode& node, ValueId x) {
  const Math m{node, x};
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < std::ssize(node.type(x).shape); ++i) axes.push_back(i);
  const auto over_all = [&](Op op) {
    return node.Emit(op, {x}, {{"axes", axes}, {"keepdims", int64_t{0}}});
  };
  const ValueId low = m(Op::kMin, over_all(Op::kReduceMin), 0.0);
  const ValueId high = m(Op::kMax, over_all(Op::kReduceMax), 0.0);
  const ValueId range = m(Op::kSub, high, low);
  const ValueId scale =
      node.Emit(Op::kWhere, {m(Op::kEqual, range, 0.0), m.Number(1), m(Op::kDiv, range, 255.0)});
  const ValueId place = m(Op::kDiv, m(Op::kMul, low, -1.0), scale);
  const ValueId zero = m.Clip(m(Op::kRound, place), 0, 255);
  const ValueId codes = m(Op::kAdd, m(Op::kRound, m(Op::kDiv, x, scale)), zero);
  return {CastTo(node, m.Clip(codes, 0, 255), DType::kUint8), scale, zero};
}

/// Codes less their zero point, in int32. Shape: `zero` broadcasts to the codes.
ValueId Centred32(OnnxNode& node, ValueId codes, ValueId zero) {
  const ValueId wide = CastTo(node, codes, DType::kInt32);
  return zero == kNone ? wide : node.Emit(Op::kSub, {wide, CastTo(node, zero, DType::kInt32)});
}

/// A zero point of one element, of one for each row, or as it is.
ValueId RowsZero(OnnxNode& node, ValueId zero) {
  const Shape s = node.type(zero).shape;
  return s.size() == 1 && s[0] > 1 ? node.Reshape(zero, {s[0], 1}) : zero;
}

ValueId Product32(OnnxNode& node, ValueId a, ValueId a_zero, ValueId b, ValueId b_zero) {
  return node.Emit(Op::kMatMul, {Centred32(node, a, a_zero), Centred32(node, b, b_zero)});
}

ValueId IfGiven(OnnxNode& node, int64_t input) {
  return node.Has(input) ? node.Input(input) : kNone;
}

/// product * a_scale * b_scale + bias.
ValueId Rescaled(OnnxNode& node, ValueId product, ValueId a_scale, ValueId b_scale, ValueId bias) {
  const ValueId scale = node.Emit(Op::kMul, {a_scale, b_scale});
  const ValueId y = node.Emit(Op::kMul, {CastTo(node, product, DType::kFloat32), scale});
  return bias == kNone ? y : node.Emit(Op::kAdd, {y, bias});
}

}  // namespace

ValueId DynamicProduct(OnnxNode& node, ValueId x, const CodedWeights& w, ValueId bias) {
  const Codes a = QuantizeDynamically(node, x);
  const ValueId product = Product32(node, a.codes, a.zero, w.codes, w.zero);
  return Rescaled(node, product, a.scale, w.scale, bias);
}

void ConvertDynamicQuantizeLinear(OnnxNode& node) {
  const Codes c = QuantizeDynamically(node, node.Input(0));
  node.Result(c.codes, 0);
  node.Result(c.scale, 1);
  node.Result(CastTo(node, c.zero, DType::kUint8), 2);
}

void ConvertMatMulInteger(OnnxNode& node) {
  const ValueId a_zero = node.Has(2) ? RowsZero(node, node.Input(2)) : kNone;
  node.Result(Product32(node, node.Input(0), a_zero, node.Input(1), IfGiven(node, 3)));
}

/// Convolutions are of floats, whose sums are exact below 2^24: what weights have beyond that is a
/// convolution of its own, of their high digits.
void ConvertConvInteger(OnnxNode& node) {
  const Shape w = node.InputShape(1);
  if (w.size() < 3) throw node.Fail("weight shape", ToText(w), "must be [OC,C,...]");
  const int64_t taps = Elements(w) / w[0];
  constexpr int64_t kExact = 1 << 24, kMostCode = 255, kDigit = 16;
  if (taps * kMostCode * kDigit > kExact)
    throw node.Fail("weight shape", ToText(w),
                    StrCat("must have at most ", kExact / kMostCode / kDigit, " taps an output"));
  const ValueId x = CastTo(node, Centred32(node, node.Input(0), IfGiven(node, 2)), DType::kFloat32);
  ValueId w_zero = IfGiven(node, 3);
  if (w_zero != kNone && node.type(w_zero).shape.size() == 1) {
    Shape outputs(w.size(), 1);
    outputs[0] = node.type(w_zero).shape[0];
    w_zero = node.Reshape(w_zero, outputs);
  }
  const ValueId weights = Centred32(node, node.Input(1), w_zero);
  const auto sums = [&](ValueId part) {
    const ValueId y = EmitConv(node, {x, CastTo(node, part, DType::kFloat32)});
    return CastTo(node, y, DType::kInt32);
  };
  if (taps * kMostCode * kMostCode <= kExact) {
    node.Result(sums(weights));
    return;
  }
  const ValueId digit = node.Number(weights, kDigit);
  const ValueId high = node.Emit(Op::kDiv, {weights, digit});
  const ValueId low = node.Emit(Op::kSub, {weights, node.Emit(Op::kMul, {high, digit})});
  node.Result(node.Emit(Op::kAdd, {node.Emit(Op::kMul, {sums(high), digit}), sums(low)}));
}

/// Of ONNX Runtime. Inputs: A in float, B, its scale, its zero point, bias.
void ConvertDynamicQuantizeMatMul(OnnxNode& node) {
  const CodedWeights w{node.Input(1), node.Input(2), IfGiven(node, 3)};
  node.Result(DynamicProduct(node, node.Input(0), w, IfGiven(node, 4)));
}

/// Of ONNX Runtime. Inputs: A, B, their scales, their zero points, bias.
void ConvertMatMulIntegerToFloat(OnnxNode& node) {
  const ValueId a_zero = node.Has(4) ? RowsZero(node, node.Input(4)) : kNone;
  const ValueId product = Product32(node, node.Input(0), a_zero, node.Input(1), IfGiven(node, 5));
  node.Result(Rescaled(node, product, node.Input(2), node.Input(3), IfGiven(node, 6)));
}

}  // namespace vta::compiler
