// Layers of 16 bits. Products of codes with weights are summed in int32 as far as that holds them,
// and those sums in int64.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/math.h"
#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/sixteen.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMostTerms = 511;  // products of 2^15 and 2^7 whose sum int32 holds

/// Times a factor for each channel, in the 16 bits of a multiplier that kernels with sums of 64
/// bits use, and rounded once, ties up.
ValueId RescaleOnce(TfliteNode& node, ValueId x, const std::vector<FixedPoint>& factors) {
  std::vector<int64_t> multipliers, adds, divisors, floors;
  constexpr int64_t kFar = int64_t{1} << 62;  // above it division rounds down
  for (const FixedPoint& factor : factors) {
    constexpr int64_t kHalf = 1 << 15, kLargest = 0x7fff;
    const int64_t reduced = (int64_t{factor.multiplier} + kHalf) >> 16;
    const int64_t shift = std::max(15 - factor.exponent, 1);
    multipliers.push_back(std::min(reduced, kLargest));
    divisors.push_back(int64_t{1} << shift);
    adds.push_back(divisors.back() / 2 + kFar);
    floors.push_back(kFar / divisors.back());
  }
  const auto each = [&](const char* name, const std::vector<int64_t>& values) {
    const Shape shape = values.size() == 1 ? Shape{} : Shape{std::ssize(values)};
    return node.AddConstant(name, Tensor::Of<int64_t>(shape, values));
  };
  const Math m{node, x};
  const ValueId product = m(Op::kMul, x, each("multiplier", multipliers));
  const ValueId divided =
      m(Op::kDiv, m(Op::kAdd, product, each("half", adds)), each("divisor", divisors));
  return m(Op::kSub, divided, each("floor", floors));
}

/// How sums become codes, whose channels are that axis of the weights.
std::vector<FixedPoint> Factors(TfliteNode& node, int64_t channels, int64_t axis) {
  const float x = SixteenScale(node, 0);
  const auto w = node.InputScales(1);
  if (node.Type(1).dtype != DType::kInt8 || !w ||
      std::ranges::any_of(w->zero_points, [](int64_t zero) { return zero != 0; }))
    throw node.Fail("weights", ToText(node.Type(1)),
                    "must be int8 with scales, and zero points of 0, beside codes of 16 bits");
  if (!w->PerTensor() && (w->axis != axis || std::ssize(w->scales) != channels))
    throw node.Fail("weight scales", StrCat(w->scales.size(), " of axis ", w->axis),
                    StrCat("must be one, or one for each of the ", channels, " of axis ", axis));
  std::vector<FixedPoint> factors;
  for (const float scale : w->scales)
    factors.push_back(ToFixedPoint(double{x} * double{scale} / double{SixteenOutputScale(node)}));
  return factors;
}

/// From sums in int64 to the result. Shape: [..., channels], given `shape` then.
void Finish(TfliteNode& node, ValueId sums, const std::vector<FixedPoint>& factors, Shape shape,
            int activation) {
  const int64_t channels = node.type(sums).shape.back();
  bool wide = true;
  if (node.Has(2)) {
    const DType dtype = node.Type(2).dtype;
    wide = dtype == DType::kInt64;
    if (!wide && dtype != DType::kInt32)
      throw node.Fail("bias type", std::string(Name(dtype)),
                      "must be int64 or int32 beside codes of 16 bits");
    if (Elements(node.InputShape(2)) != channels)
      throw node.Fail("bias shape", ToText(node.InputShape(2)), StrCat("must be [", channels, "]"));
    const ValueId bias = Centred(node, node.Reshape(node.Stored(2), {channels}), 0);
    sums = node.Emit(Op::kAdd, {sums, bias});
  }
  const ValueId y = wide ? RescaleOnce(node, sums, factors) : RescaleTwice(node, factors)(sums);
  ResultSixteen(node, node.Reshape(y, shape), activation);
}

/// Shape: codes [M,K] times weights [OC,K], both stored; int64 [M,OC].
ValueId Product(TfliteNode& node, ValueId codes, ValueId weights) {
  const ValueId turned =
      node.Emit(Op::kTranspose, {weights}, {{"perm", std::vector<int64_t>{1, 0}}});
  const int64_t terms = node.type(codes).shape[1];
  ValueId sum = kNone;
  for (int64_t first = 0; first < terms; first += kMostTerms) {
    const int64_t count = std::min(kMostTerms, terms - first);
    const auto part = [&](ValueId x, int64_t axis) {
      return Centred(node, count == terms ? x : Slice(node, x, axis, first, count), 0,
                     DType::kInt32);
    };
    const ValueId sums =
        Centred(node, node.Emit(Op::kMatMul, {part(codes, 1), part(turned, 0)}), 0);
    sum = sum == kNone ? sums : node.Emit(Op::kAdd, {sum, sums});
  }
  return sum;
}

/// What each tap of a window sees of x [N,H,W,C], row by row. Shape: [N,OH,OW,C] each.
std::vector<ValueId> Taps(TfliteNode& node, ValueId x, const TfliteWindow& window,
                          const std::vector<int64_t>& kernel) {
  if (kernel[0] > kMostSixteenTaps / kernel[1])
    throw node.Fail("window", ToText(kernel),
                    StrCat("must have at most ", kMostSixteenTaps, " taps for codes of 16 bits"));
  if (std::ranges::max(window.before) > 0 || std::ranges::max(window.after) > 0)
    x = node.Emit(Op::kPad, {x},
                  {{"mode", "constant"},
                   {"pads", std::vector<int64_t>{0, window.before[0], window.before[1], 0, 0,
                                                 window.after[0], window.after[1], 0}},
                   {"value", 0.0}});
  Shape shape = node.type(x).shape;
  const Shape padded = shape;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t extent = (kernel[i] - 1) * window.dilations[i] + 1;
    if (padded[1 + i] < extent)
      throw node.Fail("input shape", ToText(node.InputShape(0)), "is smaller than the window");
    shape[1 + i] = (padded[1 + i] - extent) / window.strides[i] + 1;
  }
  std::vector<ValueId> taps;
  for (int64_t row = 0; row < kernel[0]; ++row)
    for (int64_t column = 0; column < kernel[1]; ++column)
      taps.push_back(node.Emit(
          Op::kSlice, {x},
          {{"starts",
            std::vector<int64_t>{0, row * window.dilations[0], column * window.dilations[1], 0}},
           {"steps", std::vector<int64_t>{1, window.strides[0], window.strides[1], 1}},
           {"shape", shape}}));
  return taps;
}

ValueId Joined(TfliteNode& node, const std::vector<ValueId>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : node.Emit(Op::kConcat, parts, {{"axis", axis}});
}

}  // namespace

void ConvolveSixteen(TfliteNode& node, const TfliteWindow& window, int64_t groups, int activation) {
  const Shape w = node.InputShape(1);
  if (w[0] % groups != 0)
    throw node.Fail("weight shape", ToText(w), StrCat("its first size must divide into ", groups));
  const auto factors = Factors(node, w[0], 0);
  const std::vector<ValueId> taps = Taps(node, node.Stored(0), window, {w[1], w[2]});
  Shape y = node.type(taps[0]).shape;
  const int64_t places = y[0] * y[1] * y[2], terms = w[1] * w[2] * w[3], each = w[0] / groups;
  const ValueId weights = node.Reshape(node.Stored(1), {w[0], terms});
  std::vector<ValueId> sums;
  for (int64_t group = 0; group < groups; ++group) {
    std::vector<ValueId> seen;
    for (const ValueId tap : taps)
      seen.push_back(groups == 1 ? tap : Slice(node, tap, 3, group * w[3], w[3]));
    const ValueId columns = node.Reshape(Joined(node, seen, 3), {places, terms});
    sums.push_back(Product(node, columns,
                           groups == 1 ? weights : Slice(node, weights, 0, group * each, each)));
  }
  y[3] = w[0];
  Finish(node, Joined(node, sums, 1), factors, y, activation);
}

void ConvolveDepthwiseSixteen(TfliteNode& node, const TfliteWindow& window, int activation) {
  const Shape w = node.InputShape(1);
  const auto factors = Factors(node, w[3], 3);
  ValueId x = node.Stored(0);
  Shape shape = node.type(x).shape;
  const int64_t multiplier = w[3] / shape[3];
  if (multiplier > 1) {  // of each channel as many copies
    const Shape apart = {shape[0], shape[1], shape[2], shape[3], 1};
    Shape copied = apart;
    copied[4] = multiplier, shape[3] = w[3];
    const ValueId copies = node.Emit(Op::kExpand, {node.Reshape(x, apart)}, {{"shape", copied}});
    x = node.Reshape(copies, shape);
  }
  const std::vector<ValueId> taps = Taps(node, x, window, {w[1], w[2]});
  const ValueId weights = node.Reshape(node.Stored(1), {w[1] * w[2], w[3]});
  const DType wide = std::ssize(taps) > kMostTerms ? DType::kInt64 : DType::kInt32;
  ValueId sum = kNone;
  for (int64_t i = 0; i < std::ssize(taps); ++i) {
    const ValueId weight = node.Reshape(Slice(node, weights, 0, i, 1), {w[3]});
    const ValueId product =
        node.Emit(Op::kMul, {Centred(node, taps[i], 0, wide), Centred(node, weight, 0, wide)});
    sum = sum == kNone ? product : node.Emit(Op::kAdd, {sum, product});
  }
  Finish(node, Centred(node, sum, 0), factors, node.type(sum).shape, activation);
}

void PoolAverageSixteen(TfliteNode& node, const TfliteWindow& window,
                        const std::vector<int64_t>& kernel, int activation) {
  const Shape x = node.InputShape(0);
  ValueId sum = kNone;
  for (const ValueId tap : Taps(node, node.Stored(0), window, kernel)) {
    const ValueId codes = Centred(node, tap, 0);
    sum = sum == kNone ? codes : node.Emit(Op::kAdd, {sum, codes});
  }
  const Shape y = node.type(sum).shape;
  std::vector<int64_t> counts, halves;
  const auto inside = [&](size_t axis, int64_t place) {  // taps that no padding is at
    const int64_t first = place * window.strides[axis] - window.before[axis];
    return std::min(first + kernel[axis], x[1 + axis]) - std::max<int64_t>(first, 0);
  };
  for (int64_t row = 0; row < y[1]; ++row)
    for (int64_t column = 0; column < y[2]; ++column) {
      counts.push_back(inside(0, row) * inside(1, column));
      halves.push_back(counts.back() / 2);
    }
  const auto each = [&](const char* name, const std::vector<int64_t>& values) {
    return node.AddConstant(name, Tensor::Of<int64_t>({y[1], y[2], 1}, values));
  };
  const Math m{node, sum};
  const ValueId half = m(Op::kMul, m(Op::kSign, sum), each("half", halves));
  ResultSixteen(node, m(Op::kDiv, m(Op::kAdd, sum, half), each("count", counts)), activation);
}

void FullyConnectSixteen(TfliteNode& node, const Shape& shape, int activation) {
  const Shape w = node.InputShape(1);
  const auto factors = Factors(node, w[0], 0);
  const ValueId x = node.Stored(0);
  const ValueId rows = node.Reshape(x, {Elements(node.type(x).shape) / w[1], w[1]});
  Finish(node, Product(node, rows, node.Stored(1)), factors, shape, activation);
}

}  // namespace vta::compiler
