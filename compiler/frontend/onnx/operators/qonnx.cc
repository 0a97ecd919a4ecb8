// Converters of QONNX's operators, as Brevitas exports them: real numbers that are rounded to codes
// of a few bits. With constant scales, and codes that 8 bits hold, they become codes here, too.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// Whole numbers that an operator may round to.
struct CodeRange {
  double low, high;
};

CodeRange CodesOfBits(double bits, bool is_signed, bool narrow) {
  const double count = std::exp2(bits), half = count / 2;
  return is_signed ? CodeRange{narrow ? 1 - half : -half, half - 1}
                   : CodeRange{0, count - (narrow ? 2 : 1)};
}

/// The type whose codes are all of the range; nothing where 8 bits do not hold it, or bits are not
/// whole.
std::optional<DType> CodeTypeOf(const CodeRange& range) {
  if (range.low != std::floor(range.low) || range.high != std::floor(range.high))
    return std::nullopt;
  if (range.low >= -128 && range.high <= 127) return DType::kInt8;
  if (range.low >= 0 && range.high <= 255) return DType::kUint8;
  return std::nullopt;
}

/// The attribute rounding_mode, whose names may be written small.
std::string RoundingModeOf(OnnxNode& node, const std::string& otherwise) {
  std::string mode = node.String("rounding_mode", otherwise);
  std::ranges::transform(mode, mode.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return mode;
}

/// By the names of the attribute rounding_mode.
ValueId Rounded(const Math& m, ValueId x, const std::string& mode) {
  const auto ceil = [&](ValueId v) {
    return m(Op::kMul, m(Op::kFloor, m(Op::kMul, v, -1.0)), -1.0);
  };
  if (mode == "ROUND" || mode == "HALF_EVEN") return m(Op::kRound, x);
  if (mode == "FLOOR") return m(Op::kFloor, x);
  if (mode == "CEIL") return ceil(x);
  const ValueId size = m(Op::kAbs, x);
  ValueId whole = kNone;  // of the size: the sign stays
  if (mode == "UP") whole = ceil(size);
  if (mode == "DOWN") whole = m(Op::kFloor, size);
  if (mode == "HALF_UP") whole = m(Op::kFloor, m(Op::kAdd, size, 0.5));
  if (mode == "HALF_DOWN") whole = ceil(m(Op::kSub, size, 0.5));
  if (whole == kNone)
    throw m.node.Fail("attribute rounding_mode", mode,
                      "must be ROUND, CEIL, FLOOR, UP, DOWN, HALF_UP or HALF_DOWN");
  return m(Op::kMul, m(Op::kSign, x), whole);
}

/// -1 of what is below 0, 1 of the rest.
ValueId SignOf(const Math& m, ValueId x) {
  return m.node.Emit(Op::kWhere, {m(Op::kLess, x, 0.0), m.Number(-1), m.Number(1)});
}

/// Scale and zero point of codes, and the axis that has one of each for an index.
struct CodeScales {
  ValueId scale, zero;
  int64_t axis;
};

/// Nothing where they are not constants, of one element or of an axis, that codes can have.
std::optional<CodeScales> ScalesOfCodes(OnnxNode& node, const Shape& x, int64_t scale_input,
                                        int64_t zero_input, DType codes) {
  if (!node.IsConstant(scale_input)) return std::nullopt;
  const Tensor& scale = node.Constant(scale_input, "input scale");
  if (scale.dtype() != DType::kFloat32) return std::nullopt;
  const Shape shape = scale.shape();
  const int64_t missing = std::ssize(x) - std::ssize(shape);
  int64_t axis = 0;
  if (scale.elements() != 1) {
    for (int64_t i = 0; i < std::ssize(shape); ++i)
      if (shape[i] == scale.elements()) axis = i + missing;
    if (axis < 0 || axis >= std::ssize(x) || x[axis] != scale.elements()) return std::nullopt;
  }
  for (float v : scale.data<float>())
    if (!std::isfinite(v) || v <= 0)
      throw node.Fail("input scale", StrCat(double{v}), "must be positive and finite");
  double zero = 0;
  if (zero_input != kNone) {
    if (!node.IsConstant(zero_input)) return std::nullopt;
    const Tensor& point = node.Constant(zero_input, "input zeropt");
    if (point.elements() == 0) return std::nullopt;
    zero = point.At(0);
    for (int64_t i = 1; i < point.elements(); ++i)
      if (point.At(i) != zero) return std::nullopt;
  }
  const bool fits = DispatchDType(codes, [&](auto type) {
    using T = decltype(type);
    return zero == std::floor(zero) &&
           zero >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
           zero <= static_cast<double>(std::numeric_limits<T>::max());
  });
  if (!fits) return std::nullopt;
  const Shape line = scale.elements() == 1 ? Shape{} : Shape{scale.elements()};
  Tensor scales = scale.Reshaped(line), zeros(TensorType{codes, line});
  DispatchDType(codes, [&](auto type) {
    using T = decltype(type);
    for (T& v : zeros.mutable_data<T>()) v = static_cast<T>(zero);
  });
  return CodeScales{node.AddConstant("scale", std::move(scales)),
                    node.AddConstant("zero_point", std::move(zeros)), axis};
}

ValueId QuantizeBy(OnnxNode& node, ValueId real, const CodeScales& scales) {
  return node.Emit(Op::kQuantize, {real, scales.scale, scales.zero}, {{"axis", scales.axis}});
}

ValueId DequantizeBy(OnnxNode& node, ValueId codes, const CodeScales& scales) {
  return node.Emit(Op::kDequantize, {codes, scales.scale, scales.zero}, {{"axis", scales.axis}});
}

/// Numbers that are codes times the scale already, as such codes.
ValueId ThroughCodes(OnnxNode& node, ValueId real, const CodeRange& range, int64_t scale_input,
                     int64_t zero_input) {
  const auto type = CodeTypeOf(range);
  if (!type) return real;
  const auto scales = ScalesOfCodes(node, node.type(real).shape, scale_input, zero_input, *type);
  return scales ? DequantizeBy(node, QuantizeBy(node, real, *scales), *scales) : real;
}

/// As QuantizeLinear rounds; kNone where no type has such codes. What keeps to the range are codes,
/// or the reals before them, which the layer that makes those can do itself.
ValueId RoundedToCodes(OnnxNode& node, const CodeRange& range) {
  const auto type = CodeTypeOf(range);
  const Math m{node, node.Input(0)};
  if (!type) return kNone;
  const auto scales = ScalesOfCodes(node, node.type(m.x).shape, 1, 2, *type);
  if (!scales) return kNone;
  constexpr double kAll = 255;
  const bool narrower = range.high - range.low < kAll;
  if (node.IsConstant(0) || node.type(scales->scale).shape != Shape{}) {
    const ValueId codes = QuantizeBy(node, m.x, *scales);
    return DequantizeBy(node, narrower ? m.Clip(codes, range.low, range.high) : codes, *scales);
  }
  const double scale = node.constant(scales->scale)->At(0);
  const double zero = node.constant(scales->zero)->At(0);
  const ValueId bounded =
      narrower ? m.Clip(m.x, (range.low - zero) * scale, (range.high - zero) * scale) : m.x;
  return DequantizeBy(node, QuantizeBy(node, bounded, *scales), *scales);
}

/// A number that is not known when it compiles would make every network one of real numbers.
double ReadBits(OnnxNode& node, int64_t input, const char* what) {
  const double bits = node.ConstantNumber(input, what);
  constexpr double kMostBits = 32;
  if (!(bits >= 1 && bits <= kMostBits))
    throw node.Fail(what, StrCat(bits), "must be from 1 to 32");
  return bits;
}

}  // namespace

/// Inputs: x, scale, zero point, bits.
void ConvertQuant(OnnxNode& node) {
  const double bits = ReadBits(node, 3, "input bitwidth");
  const bool is_signed = node.Int("signed", 1) != 0, narrow = node.Int("narrow", 1) != 0;
  const std::string mode = RoundingModeOf(node, "ROUND");
  const Math m{node, node.Input(0)};
  const ValueId scale = node.Input(1), zero = node.Input(2);
  const bool bipolar = is_signed && bits == 1;  // a bit that is signed is -1 or 1
  const CodeRange range = bipolar ? CodeRange{-1, 1} : CodesOfBits(bits, is_signed, narrow);
  const bool to_even = mode == "ROUND" || mode == "HALF_EVEN";
  if (const ValueId y = to_even && !bipolar ? RoundedToCodes(node, range) : kNone; y != kNone)
    return node.Result(y);
  const ValueId place = m(Op::kAdd, m(Op::kDiv, m.x, scale), zero);
  const ValueId whole =
      bipolar ? SignOf(m, place) : Rounded(m, m.Clip(place, range.low, range.high), mode);
  const ValueId real = m(Op::kMul, m(Op::kSub, whole, zero), scale);
  node.Result(ThroughCodes(node, real, range, 1, 2));
}

/// Inputs: x, scale.
void ConvertBipolarQuant(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId real = m(Op::kMul, SignOf(m, m.x), node.Input(1));
  node.Result(ThroughCodes(node, real, {-1, 1}, 1, kNone));
}

/// The lowest bits go. Inputs: x, scale, zero point, bits before, from version 2 on the scale
/// after, and bits after. Version 1 keeps the scale, and does not say whether codes are signed.
void ConvertTrunc(OnnxNode& node) {
  const bool rescales = node.opset() >= 2;
  if (node.input_count() != (rescales ? 6 : 5))
    throw node.Fail("inputs", StrCat(node.input_count()), StrCat("must be ", rescales ? 6 : 5));
  const int64_t scale_after = rescales ? 4 : 1;
  const double before = ReadBits(node, 3, "input in_bitwidth");
  const double after = ReadBits(node, rescales ? 5 : 4, "input out_bitwidth");
  const std::string mode = RoundingModeOf(node, "FLOOR");
  const Math m{node, node.Input(0)};
  const ValueId zero = node.Input(2);
  const ValueId codes = m(Op::kRound, m(Op::kAdd, m(Op::kDiv, m.x, node.Input(1)), zero));
  if (!rescales) {
    const ValueId whole = Rounded(m, m(Op::kDiv, codes, std::exp2(before - after)), mode);
    const ValueId real = m(Op::kMul, m(Op::kSub, whole, zero), node.Input(1));
    const double count = std::exp2(after);
    return node.Result(ThroughCodes(node, real, {-count, count - 1}, 1, 2));
  }
  const double ratio = node.ConstantNumber(scale_after, "input output_scale") /
                       node.ConstantNumber(1, "input scale");
  const double factor = std::exp2(std::round(std::log2(ratio)));
  if (!(factor > 0 && std::isfinite(factor)))
    throw node.Fail("scales", StrCat(ratio), "the one after by the one before must be positive");
  const CodeRange range =
      CodesOfBits(after, node.Int("signed", 1) != 0, node.Int("narrow", 0) != 0);
  const ValueId whole = Rounded(m, m.Clip(m(Op::kDiv, codes, factor), range.low, range.high), mode);
  const ValueId rest = m(Op::kSub, whole, m(Op::kDiv, zero, factor));
  const ValueId real = m(Op::kMul, rest, node.Input(scale_after));
  const bool centred = node.IsConstant(2) && node.ConstantNumber(2, "input zeropt") == 0;
  node.Result(centred ? ThroughCodes(node, real, range, scale_after, kNone) : real);
}

/// To floats of few bits. Inputs: x, scale, bits of the exponent and of the mantissa, the
/// exponent's bias, and the greatest.
void ConvertFloatQuant(OnnxNode& node) {
  const auto read = [&](int64_t input, const char* what, int64_t low, int64_t high) {
    const double value = node.ConstantNumber(input, what);
    if (value != std::floor(value) || value < static_cast<double>(low) ||
        value > static_cast<double>(high))
      throw node.Fail(what, StrCat(value),
                      StrCat("must be a whole number from ", low, " to ", high));
    return static_cast<int>(value);
  };
  const int exponent = read(2, "input exponent_bitwidth", 1, 8);
  const int mantissa = read(3, "input mantissa_bitwidth", 0, 23);
  const int bias = read(4, "input exponent_bias", -128, 254);
  const int least = 1 - bias - mantissa, range = (1 << exponent) - 2;  // of the last bit's exponent
  constexpr int kNormal = -126, kMost = 127;
  if (least < kNormal || least > kMost)
    throw node.Fail("input exponent_bias", StrCat(bias),
                    "must leave steps that are normal float32");
  if (node.Int("saturation", 1) == 0)
    throw node.Fail("attribute saturation", "0", "is not supported");
  for (const char* name : {"has_inf", "has_nan", "has_subnormal"}) node.Ignore(name);
  const std::string mode = RoundingModeOf(node, "ROUND");
  const double greatest = std::min(node.ConstantNumber(5, "input max_val"),
                                   std::ldexp(std::exp2(mantissa + 1) - 1, least + range));
  const ValueId scale = node.Input(1);
  const Math m{node, node.Emit(Op::kDiv, {node.Input(0), scale})};
  // The step between neighbours doubles with each power of two that x reaches.
  const ValueId size = m(Op::kAbs, m.x);
  ValueId step = m.Number(std::ldexp(1, least));
  for (int by : {64, 64, 64, 32, 16, 8, 4, 2, 1}) {
    if (by > range) continue;
    const ValueId next = m(Op::kMul, step, std::ldexp(1, by));
    const ValueId reached = m(Op::kLessEqual, m(Op::kMul, next, std::ldexp(1, mantissa)), size);
    step = node.Emit(Op::kWhere, {reached, next, step});
  }
  const ValueId real = m(Op::kMul, Rounded(m, m(Op::kDiv, m.x, step), mode), step);
  node.Result(m(Op::kMul, m.Clip(real, -greatest, greatest), scale));
}

}  // namespace vta::compiler
