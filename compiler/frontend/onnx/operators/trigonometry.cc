// Converters of trigonometric and hyperbolic functions and their inverses. Each form is one that
// keeps a float32's digits over all of its domain.
#include <initializer_list>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"
#include "compiler/horner.h"

namespace vta::compiler {
namespace {

constexpr double kPi = 3.14159265358979323846, kLn2 = 0.69314718055994530942;
constexpr double kMuch = 4096;  // whose square swallows a 1 beside it

ValueId Chosen(const Math& m, ValueId condition, ValueId a, ValueId b) {
  return m.node.Emit(Op::kWhere, {condition, a, b});
}

ValueId Polynomial(const Math& m, ValueId z, std::initializer_list<double> c) {
  const auto more = [&](ValueId sum, double next) {
    return m(Op::kAdd, m(Op::kMul, sum, z), next);
  };
  return Horner(
      c, [&](double last) { return m.Number(last); }, more);
}

/// ln(1 + x): what rounding the sum loses is in the quotient.
ValueId LogOfOneMore(const Math& m, ValueId x) {
  const ValueId sum = m(Op::kAdd, x, 1.0), kept = m(Op::kSub, sum, 1.0);
  const ValueId log = m(Op::kLog, sum);
  const ValueId corrected = m(Op::kMul, log, m(Op::kDiv, x, kept));
  return Chosen(m, m(Op::kEqual, kept, x), log, Chosen(m, m(Op::kEqual, sum, 1.0), x, corrected));
}

ValueId Atan(const Math& m, ValueId x) {
  constexpr double kTanOfEighth = 0.41421356237309504880, kTanOfThreeEighths = 2.41421356237309504;
  const ValueId size = m(Op::kAbs, x);
  const ValueId far = m(Op::kLess, kTanOfThreeEighths, size);
  const ValueId middle = m(Op::kLess, kTanOfEighth, size);
  const ValueId turned = m(Op::kDiv, m(Op::kSub, size, 1.0), m(Op::kAdd, size, 1.0));
  const ValueId rest = Chosen(m, far, m(Op::kDiv, -1.0, size), Chosen(m, middle, turned, size));
  const ValueId start =
      Chosen(m, far, m.Number(kPi / 2), Chosen(m, middle, m.Number(kPi / 4), m.Number(0)));
  const ValueId curve =
      Polynomial(m, m(Op::kMul, rest, rest),
                 {1, -3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2});
  const ValueId angle = m(Op::kAdd, start, m(Op::kMul, rest, curve));
  return m(Op::kMul, m(Op::kSign, x), angle);
}

/// (e^x + sign * e^-x) / 2, of squares of powers of x / 2: e^x itself may be too large.
ValueId MeanOfPowers(const Math& m, Op sign) {
  const auto half = [&](double by) {
    const ValueId root = m(Op::kExp, m(Op::kMul, m.x, by));
    return m(Op::kMul, m(Op::kMul, root, 0.5), root);
  };
  return m(sign, half(0.5), half(-0.5));
}

}  // namespace

void ConvertTan(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(m(Op::kDiv, m(Op::kSin, m.x), m(Op::kCos, m.x)));
}

void ConvertAsin(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId square = m(Op::kMul, m(Op::kSub, 1.0, m.x), m(Op::kAdd, m.x, 1.0));
  node.Result(Atan(m, m(Op::kDiv, m.x, m(Op::kSqrt, square))));
}

void ConvertAcos(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId square = m(Op::kDiv, m(Op::kSub, 1.0, m.x), m(Op::kAdd, m.x, 1.0));
  node.Result(m(Op::kMul, Atan(m, m(Op::kSqrt, square)), 2.0));
}

void ConvertAtan(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  node.Result(Atan(m, m.x));
}

/// Of what is below 1 the powers would take digits from each other.
void ConvertSinh(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId curve =
      Polynomial(m, m(Op::kMul, m.x, m.x), {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880});
  node.Result(Chosen(m, m(Op::kLess, m(Op::kAbs, m.x), 1.0), m(Op::kMul, m.x, curve),
                     MeanOfPowers(m, Op::kSub)));
}

void ConvertCosh(OnnxNode& node) { node.Result(MeanOfPowers({node, node.Input(0)}, Op::kAdd)); }

void ConvertAsinh(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId size = m(Op::kAbs, m.x), square = m(Op::kMul, size, size);
  const ValueId root = m(Op::kAdd, m(Op::kSqrt, m(Op::kAdd, square, 1.0)), 1.0);
  const ValueId near = LogOfOneMore(m, m(Op::kAdd, size, m(Op::kDiv, square, root)));
  const ValueId far = m(Op::kAdd, m(Op::kLog, size), kLn2);
  node.Result(m(Op::kMul, m(Op::kSign, m.x), Chosen(m, m(Op::kLess, size, kMuch), near, far)));
}

void ConvertAcosh(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId rest = m(Op::kSub, m.x, 1.0);
  const ValueId root = m(Op::kSqrt, m(Op::kMul, rest, m(Op::kAdd, m.x, 1.0)));
  const ValueId near = LogOfOneMore(m, m(Op::kAdd, rest, root));
  const ValueId far = m(Op::kAdd, m(Op::kLog, m.x), kLn2);
  node.Result(Chosen(m, m(Op::kLess, m.x, kMuch), near, far));
}

void ConvertAtanh(OnnxNode& node) {
  const Math m{node, node.Input(0)};
  const ValueId size = m(Op::kAbs, m.x);
  const ValueId ratio = m(Op::kDiv, m(Op::kMul, size, 2.0), m(Op::kSub, 1.0, size));
  node.Result(m(Op::kMul, m(Op::kMul, m(Op::kSign, m.x), 0.5), LogOfOneMore(m, ratio)));
}

}  // namespace vta::compiler
