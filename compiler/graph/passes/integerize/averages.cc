// Integerize: averages that stay real. Means, windows that do not count their pads and resizing
// give each code a share. They are computed of codes as whole numbers, which float32 holds, and
// divided once, when they are quantised: what lies halfway between two codes becomes the even one,
// as in exact arithmetic, where that of the model's own operators is decided by its noise.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/graph/ops/int8_common.h"
#include "compiler/graph/passes/integerize/integerizer.h"
#include "compiler/quantize/scale_ratio.h"

namespace vta::compiler {
namespace {

constexpr double kMostWhole = 1 << 24;  // float32 holds all whole numbers to it

/// Shares as whole numbers of a denominator, the least one.
struct Shares {
  int64_t denominator;
  Tensor whole;
  double most = 0;  // of their magnitudes
};

/// Nothing for what is not float32, and for numbers of no small denominator.
std::optional<Shares> SharesOf(const Tensor* numbers) {
  constexpr int64_t kMostDenominator = 512;
  constexpr double kNoise = 0x1p-22;  // of numbers about 1, which float32 rounds
  if (!numbers || numbers->dtype() != DType::kFloat32) return std::nullopt;
  const std::span<const float> given = numbers->data<float>();
  const auto fits = [&](int64_t denominator) {
    const auto by = static_cast<double>(denominator);
    return std::ranges::all_of(given, [&](float number) {
      const double whole = number * by, nearest = std::nearbyint(whole);
      return std::abs(whole - nearest) <= kNoise * std::max(by, std::abs(whole)) &&
             (nearest != 0 || number == 0);
    });
  };
  for (int64_t denominator = 1; denominator <= kMostDenominator; ++denominator) {
    if (!fits(denominator)) continue;
    Shares shares{denominator, *numbers};
    for (float& number : shares.whole.mutable_data<float>()) {
      number = static_cast<float>(std::nearbyint(number * static_cast<double>(denominator)));
      shares.most = std::max(shares.most, std::abs(double{number}));
    }
    return shares;
  }
  return std::nullopt;
}

/// Whether zeros and codes' places are all that it changes.
bool KeepsShares(const Node& node) {
  if (node.op == Op::kPad) return node.attributes.Double("value") == 0;
  return node.op == Op::kRelu || node.op == Op::kGather ||
         (MovesData(node.op) && node.inputs.size() == 1);
}

/// The most that the magnitudes of one output's weights add up to.
double MostSum(const Tensor& weights) {
  const std::span<const float> all = weights.data<float>();
  const size_t each = all.size() / weights.shape()[0];
  double most = 0;
  for (size_t first = 0; first < all.size(); first += each) {
    double sum = 0;
    for (const float weight : all.subspan(first, each)) sum += std::abs(weight);
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

std::optional<Integerizer::Whole> Integerizer::WholeCodes(const Node& node) {
  const Tensor *scale = fresh_.constant(node.inputs[1]), *zero = fresh_.constant(node.inputs[2]);
  const DType dtype = fresh_.type(node.inputs[0]).dtype;
  if (!Is8Bit(dtype) || !scale || !zero || scale->elements() != 1) return std::nullopt;
  const double low = dtype == DType::kInt8 ? -128 : 0;
  Whole whole{.scale = scale->At(0)};
  whole.most = std::max(zero->At(0) - low, low + 255 - zero->At(0));
  const Tensor one = Tensor::Of<float>({}, {1}).Reshaped(scale->shape());
  whole.value = fresh_.Emit(node.op, node.name,
                            {node.inputs[0], fresh_.AddConstant("one", one), node.inputs[2]},
                            node.attributes);
  return whole;
}

/// Of shares of codes, shares of those.
std::optional<Integerizer::Whole> Integerizer::Weighed(const Node& node) {
  const size_t other = fresh_.constant(node.inputs[0]) ? 0 : 1;
  auto shares = SharesOf(fresh_.constant(node.inputs[other]));
  std::optional<Whole> x = shares ? WholeOf(node.inputs[1 - other]) : std::nullopt;
  if (!x || x->count != 0) return std::nullopt;
  const bool sums = node.op == Op::kConv2d;
  if (sums && (other != 1 || node.inputs.size() != 2 || shares->denominator != 1))
    return std::nullopt;
  if (node.op == Op::kDiv) {  // by one whole number
    if (other != 1 || shares->denominator != 1 || shares->most == 0 ||
        shares->whole.elements() != 1 || shares->whole.At(0) < 0)
      return std::nullopt;
    x->divisor *= static_cast<int64_t>(shares->most);
    return x;
  }
  x->most *= sums ? MostSum(shares->whole) : shares->most;
  x->divisor *= shares->denominator;
  std::vector<ValueId> inputs(2, x->value);
  inputs[other] = fresh_.AddConstant("shares", std::move(shares->whole));
  x->value = fresh_.Emit(node.op, node.name, inputs, node.attributes);
  return x;
}

/// Of sums and differences, over the denominator that both have.
std::optional<Integerizer::Whole> Integerizer::Summed(const Node& node) {
  const std::optional<Whole> a = WholeOf(node.inputs[0]);
  const std::optional<Whole> b = a ? WholeOf(node.inputs[1]) : std::nullopt;
  if (!b || a->scale != b->scale || a->count != 0 || b->count != 0) return std::nullopt;
  Whole sum = *a;
  sum.divisor = std::lcm(a->divisor, b->divisor);
  const auto extended = [&](const Whole& part) {
    const auto by = static_cast<float>(sum.divisor / part.divisor);
    if (by == 1) return part.value;
    const ValueId factor = fresh_.AddConstant("shares", Tensor::Of<float>({}, {by}));
    return fresh_.Emit(Op::kMul, node.name, {part.value, factor}, {});
  };
  sum.most = a->most * static_cast<double>(sum.divisor / a->divisor) +
             b->most * static_cast<double>(sum.divisor / b->divisor);
  sum.value = fresh_.Emit(node.op, node.name, {extended(*a), extended(*b)}, node.attributes);
  return sum;
}

std::optional<Integerizer::Whole> Integerizer::Averaged(const Node& node) {
  std::optional<Whole> x = WholeOf(node.inputs[0]);
  if (!x || x->count != 0) return std::nullopt;
  if (node.op == Op::kAvgPool) {
    x->count = node.Ints("kernel")[0] * node.Ints("kernel")[1];
  } else {
    x->count = 1;
    for (const int64_t axis : node.Ints("axes")) x->count *= fresh_.shape(x->value)[axis];
  }
  if (x->most * static_cast<double>(x->count) > kMostWhole) return std::nullopt;
  x->value = fresh_.Emit(node.op, node.name, {x->value}, node.attributes);
  return x;
}

std::optional<Integerizer::Whole> Integerizer::MakeWhole(const Node& node) {
  switch (node.op) {
    case Op::kDequantize:
      return WholeCodes(node);
    case Op::kMul:
    case Op::kDiv:
    case Op::kConv2d:
      return Weighed(node);
    case Op::kAdd:
    case Op::kSub:
      return Summed(node);
    case Op::kAvgPool:
    case Op::kReduceMean:
      return Averaged(node);
    default:
      break;
  }
  std::optional<Whole> x = KeepsShares(node) ? WholeOf(node.inputs[0]) : std::nullopt;
  if (!x) return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = x->value;
  x->value = fresh_.Emit(node.op, node.name, inputs, node.attributes);
  return x;
}

std::optional<Integerizer::Whole> Integerizer::WholeOf(ValueId real) {
  if (auto found = wholes_.find(real); found != wholes_.end()) return found->second;
  const Node* producer = fresh_.Producer(real);
  if (!producer || depth_ >= kMostDepth) return std::nullopt;
  const Node node = *producer;  // emitting moves the graph's nodes
  ++depth_;
  std::optional<Whole> whole = MakeWhole(node);
  --depth_;
  if (whole && (whole->most > kMostWhole || whole->divisor > ops::kMostDivisor)) whole.reset();
  return wholes_[real] = whole;
}

ValueId Integerizer::Average(const Node& quantize) {
  const Tensor *scale = fresh_.constant(quantize.inputs[1]),
               *zero = fresh_.constant(quantize.inputs[2]);
  if (fresh_.rounding() != isa::Rounding::kSingle || !scale || !zero || scale->elements() != 1)
    return kNone;
  std::optional<Whole> x = WholeOf(quantize.inputs[0]);
  if (!x || (x->divisor == 1 && x->count == 0)) return kNone;
  const std::optional<ScaleRatio> ratio = RatioOf(x->scale, scale->At(0));
  if (!ratio || ratio->of_y > ops::kMostDivisor / x->divisor) return kNone;
  const int64_t common = std::gcd(ratio->of_x, x->divisor * ratio->of_y);
  const int64_t divisor = x->divisor * ratio->of_y / common;
  // A power of two may divide the divisor: that is exact.
  int64_t factor = ratio->of_x / common, doubled = 1;
  for (; factor % 2 == 0; factor /= 2) doubled *= 2;
  if (x->most * static_cast<double>(factor) > kMostWhole) return kNone;
  // What a mean has rounded may be divided once more, where it then is no nearer to a tie.
  constexpr int64_t kMostTwice = 1 << 13;
  if (x->count > (factor != 1 ? 0 : divisor == 1 ? ops::kMostDivisor : kMostTwice / divisor))
    return kNone;
  if (factor != 1) {
    const ValueId by =
        fresh_.AddConstant("factor", Tensor::Of<float>({}, {static_cast<float>(factor)}));
    x->value = fresh_.Emit(Op::kMul, quantize.name, {x->value, by}, {});
  }
  const float quotient = static_cast<float>(divisor) / static_cast<float>(doubled);
  const Tensor by = Tensor::Of<float>({}, {quotient}).Reshaped(scale->shape());
  return fresh_.Emit(Op::kQuantize, quantize.name,
                     {x->value, fresh_.AddConstant("divisor", by), quantize.inputs[2]},
                     quantize.attributes);
}

}  // namespace vta::compiler
