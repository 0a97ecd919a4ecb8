// What operators of 16 bits share, and those on elements.
#include "compiler/frontend/tflite/sixteen.h"

#include <algorithm>
#include <cmath>

#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

float ScaleOf(const TfliteNode& node, const std::string& what, DType dtype,
              const std::optional<TfliteScales>& scales) {
  if (dtype != DType::kInt16)
    throw node.Fail(StrCat("type of ", what), std::string(Name(dtype)),
                    "must be int16, as the others are");
  if (!scales || !scales->PerTensor() || scales->zero_points[0] != 0)
    throw node.Fail(what, "int16", "must have one scale, and a zero point of 0");
  return scales->scales[0];
}

/// Of codes as multiples of 2^-12 that a table takes 3/4 of: what they are times, or 0 for a power
/// of two, and the bits that go away then or, for a power of two, come.
std::pair<int64_t, int64_t> FactorOfTable(float scale) {
  constexpr int kBits = 12, kMostShift = 30, kMultiplier = 3;
  int power = 0;
  const bool is_power = std::frexp(scale, &power) == 0.5F;
  const int left = kBits + power - 1;
  if (is_power && (left == 0 || left == 1)) return {0, left};
  double multiplier = double{scale} * (1 << kBits) * kMultiplier;
  int64_t shift = 0;
  for (; multiplier <= 32767.0 / 2 && shift <= kMostShift; ++shift) multiplier *= 2;
  return {static_cast<int64_t>(std::min(multiplier, 2147483647.0)), shift};
}

}  // namespace

bool OfSixteenBits(TfliteNode& node) {
  return node.Type(0).dtype == DType::kInt16 && node.OutputType() == DType::kInt16 &&
         node.InputScales(0) && node.OutputScales();
}

float SixteenScale(TfliteNode& node, int64_t input) {
  return ScaleOf(node, StrCat("input ", input), node.Type(input).dtype, node.InputScales(input));
}

float SixteenOutputScale(TfliteNode& node) {
  return ScaleOf(node, "output", node.OutputType(), node.OutputScales());
}

void ResultSixteen(TfliteNode& node, ValueId x, int activation) {
  double low = INT16_MIN, high = INT16_MAX;
  const auto code = [scale = SixteenOutputScale(node)](float real) {
    return std::clamp<double>(std::round(real / scale), INT16_MIN, INT16_MAX);
  };
  switch (static_cast<schema::ActivationFunctionType>(activation)) {
    case schema::ActivationFunctionType::NONE:
      break;
    case schema::ActivationFunctionType::RELU:
      low = 0;
      break;
    case schema::ActivationFunctionType::RELU_N1_TO_1:
      low = code(-1), high = code(1);
      break;
    case schema::ActivationFunctionType::RELU6:
      low = 0, high = code(6);
      break;
    default:
      throw node.Fail("fused activation function", StrCat(activation),
                      "is not supported for codes of 16 bits");
  }
  node.ResultStored(Saturated(node, Math{node, x}.Clip(x, low, high), DType::kInt16));
}

void AddSixteen(TfliteNode& node, bool subtract, int activation) {
  constexpr int kBits = 15;  // that codes get below their point
  const double a = SixteenScale(node, 0), b = SixteenScale(node, 1), y = SixteenOutputScale(node);
  const double twice = 2 * std::max(a, b);
  const auto scaled = [&](int64_t input, double scale) {
    const ValueId x = Centred(node, node.Stored(input), 0);
    const Math m{node, x};
    return RescaleTwice(node, {ToFixedPoint(scale / twice)})(m(Op::kMul, x, double{1 << kBits}));
  };
  const ValueId sum = node.Emit(subtract ? Op::kSub : Op::kAdd, {scaled(0, a), scaled(1, b)});
  const RescaleTwice last(node, {ToFixedPoint(twice / ((1 << kBits) * y))});
  ResultSixteen(node, last(sum), activation);
}

void MultiplySixteen(TfliteNode& node, int activation) {
  const double scale = double{SixteenScale(node, 0)} * double{SixteenScale(node, 1)};
  const ValueId product =
      node.Emit(Op::kMul, {Centred(node, node.Stored(0), 0), Centred(node, node.Stored(1), 0)});
  const RescaleTwice rescale(node, {ToFixedPoint(scale / double{SixteenOutputScale(node)})});
  ResultSixteen(node, rescale(product), activation);
}

void FunctionSixteen(TfliteNode& node, CodeFunction function) {
  if (SixteenOutputScale(node) != 1.0F / (1 << 15))
    throw node.Fail("output scale", StrCat(double{SixteenOutputScale(node)}), "must be 2^-15");
  const auto [multiplier, shift] = FactorOfTable(SixteenScale(node, 0));
  const ValueId table = node.AddConstant("table", TableOf(function, multiplier, shift));
  const ValueId y = InTable(node, table, Centred(node, node.Stored(0), 0));
  ResultSixteen(node, y, 0);
}

}  // namespace vta::compiler
