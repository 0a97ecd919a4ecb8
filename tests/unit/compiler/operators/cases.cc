#include "tests/unit/compiler/operators/cases.h"

#include <cmath>

namespace vta::compiler::operators {
namespace {

using Ints = std::vector<int64_t>;
constexpr auto kF32 = DType::kFloat32;
constexpr auto kI8 = DType::kInt8;

Attributes With(Attributes base, const Attributes& more) {
  for (const auto& [name, value] : more) base.Set(name, value);
  return base;
}

const Attributes kLane = {{"bias", int64_t{37}},     {"multiplier", int64_t{1534567890}},
                          {"exponent", int64_t{-3}}, {"zero_point", int64_t{-7}},
                          {"low", int64_t{-100}},    {"high", int64_t{90}}};
const Attributes kClamp = {
    {"zero_point", int64_t{5}}, {"low", int64_t{-128}}, {"high", int64_t{120}}};

Attributes AveragesBy(int64_t factor, int64_t divisor) {
  return {{"pad_value", int64_t{4}}, {"factor", factor}, {"divisor", divisor}};
}

Attributes Resizes(Ints scales, int64_t half_pixel, int64_t factor) {
  return {{"scales", scales}, {"half_pixel", half_pixel}, {"factor", factor}};
}

std::vector<TensorType> Weighted(Shape x, Shape w, DType weights = kI8) {
  const TensorType channel{DType::kInt32, {w[0]}};
  return {{kI8, x}, {weights, w}, channel, channel, channel};
}

}  // namespace

std::vector<Case> Cases() {
  const Attributes conv = {{"strides", Ints{2, 1}},
                           {"pads", Ints{1, 0, 2, 1}},
                           {"dilations", Ints{1, 2}},
                           {"groups", int64_t{2}}};
  const Attributes pool = {
      {"kernel", Ints{3, 2}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 0, 1, 1}}};
  const Attributes max_pool = With(pool, {{"dilations", Ints{1, 2}}});
  const Attributes gemm = {
      {"alpha", 0.5}, {"beta", 2.0}, {"trans_a", int64_t{1}}, {"trans_b", int64_t{0}}};
  const auto pad = [](std::string mode) -> Attributes {
    return {{"mode", mode}, {"pads", Ints{0, 2, 1, 3}}, {"value", -3.0}};
  };
  const auto blocks = [](Ints sizes, Ints crops, int64_t groups) {
    return Attributes{
        {"blocks", std::move(sizes)}, {"crops", std::move(crops)}, {"groups", groups}};
  };
  const auto cut = [](Ints pads) -> Attributes {
    return {{"mode", "constant"}, {"pads", pads}, {"value", -3.0}};
  };
  const auto reflect = [](Ints pads) -> Attributes {
    return {{"mode", "reflect"}, {"pads", pads}, {"value", 0.0}};
  };
  const auto means = [](int64_t keep) -> Attributes {
    return {{"axes", Ints{1, 3}}, {"keepdims", keep}};
  };
  const TensorType image{kF32, {2, 4, 7, 6}}, codes{kI8, {2, 4, 7, 6}};
  return {
      {Op::kConv2d, {image, {kF32, {6, 2, 3, 2}}}, conv},
      {Op::kConv2d, {image, {kF32, {6, 2, 3, 2}}, {kF32, {6}}}, conv},
      {Op::kGemm, {{kF32, {5, 3}}, {kF32, {5, 4}}, {kF32, {4}}}, gemm},
      {Op::kGemm, {{kF32, {5, 3}}, {kF32, {5, 4}}}, gemm},
      {Op::kMatMul, {{kF32, {2, 1, 3, 5}}, {kF32, {4, 5, 2}}}, {}},
      {Op::kMatMul, {{kF32, {5}}, {kF32, {3, 5, 2}}}, {}},
      {Op::kMatMul, {{DType::kInt32, {3, 5}}, {DType::kInt32, {5}}}, {}},
      {Op::kAdd, {image, {kF32, {4, 1, 6}}}, {}},
      {Op::kAdd, {{DType::kInt32, {3, 1}}, {DType::kInt32, {}}}, {}},
      {Op::kMul, {image, image}, {}},
      {Op::kSub, {image, {kF32, {}}}, {}},
      {Op::kDiv, {image, image}, {}},
      {Op::kDiv, {{DType::kInt32, {50}}, {DType::kInt32, {50}}}, {}},
      {Op::kDiv, {{kI8, {256, 1}}, {kI8, {1, 256}}}, {}},
      {Op::kDiv, {{DType::kUint8, {90}}, {DType::kUint8, {90}}}, {}},
      {Op::kMod, {{DType::kInt64, {50}}, {DType::kInt64, {50}}}, {}},
      {Op::kMod, {{kI8, {256, 1}}, {kI8, {1, 256}}}, {}},
      {Op::kMin, {codes, codes}, {}},
      {Op::kMax, {image, {kF32, {6}}}, {}},
      {Op::kPow, {image, {kF32, {4, 1, 6}}}, {}},
      {Op::kEqual, {{kI8, {400}}, {kI8, {400}}}, {}},
      {Op::kEqual, {{DType::kBool, {40}}, {DType::kBool, {1}}}, {}},
      {Op::kLess, {image, image}, {}},
      {Op::kLessEqual, {{kI8, {400}}, {kI8, {400}}}, {}},
      {Op::kAnd, {{DType::kBool, {40}}, {DType::kBool, {40}}}, {}},
      {Op::kOr, {{DType::kBool, {5, 40}}, {DType::kBool, {40}}}, {}},
      {Op::kNot, {{DType::kBool, {40}}}, {}},
      {Op::kWhere, {{DType::kBool, {3, 1, 6}}, {kF32, {2, 1}}, {kF32, {5, 3, 2, 6}}}, {}},
      {Op::kRelu, {image}, {}},
      {Op::kClip, {image}, {{"low", -0.5}, {"high", 0.75}}},
      {Op::kClip, {codes}, {{"low", -1000.0}, {"high", 20.0}}},
      {Op::kAbs, {image}, {}},
      {Op::kAbs, {codes}, {}},
      {Op::kSign, {image}, {}},
      {Op::kSign, {codes}, {}},
      {Op::kFloor, {image}, {}},
      {Op::kRound, {image}, {}},
      {Op::kExp, {image}, {}},
      {Op::kLog, {image}, {}},
      {Op::kSqrt, {image}, {}},
      {Op::kTanh, {image}, {}},
      {Op::kErf, {image}, {}},
      {Op::kGelu, {image}, {}},
      {Op::kSigmoid, {image}, {}},
      {Op::kSin, {image}, {}},
      {Op::kCos, {image}, {}},
      {Op::kMaxPool, {image}, max_pool},
      {Op::kAvgPool, {image}, With(pool, {{"count_include_pad", int64_t{0}}})},
      {Op::kAvgPool, {image}, With(pool, {{"count_include_pad", int64_t{1}}})},
      {Op::kReduceMean, {image}, means(0)},
      {Op::kReduceMean, {image}, means(1)},
      {Op::kReduceSum, {image}, means(1)},
      {Op::kReduceSum, {codes}, {{"axes", Ints{0, 1, 2, 3}}, {"keepdims", int64_t{0}}}},
      {Op::kReduceMax, {image}, means(0)},
      {Op::kReduceMin, {codes}, means(0)},
      {Op::kReduceMin, {codes}, {{"axes", Ints{}}, {"keepdims", int64_t{0}}}},
      {Op::kArgMax, {codes}, {{"axis", int64_t{1}}, {"last", int64_t{0}}}},
      {Op::kArgMax, {{DType::kUint8, {3, 900}}}, {{"axis", int64_t{1}}, {"last", int64_t{1}}}},
      {Op::kTopK, {{kI8, {3, 700}}}, {{"axis", int64_t{1}}, {"k", int64_t{600}}}},
      {Op::kTopK, {image}, {{"axis", int64_t{2}}, {"k", int64_t{3}}}},
      {Op::kSoftmax, {image}, {{"axis", int64_t{1}}}},
      {Op::kSoftmax, {{kF32, {3, 9}}}, {{"axis", int64_t{1}}}},
      {Op::kNormalize, {image}, {{"axis", int64_t{3}}, {"centred", int64_t{1}}, {"epsilon", 1e-5}}},
      {Op::kNormalize,
       {{kF32, {5, 70}}},
       {{"axis", int64_t{1}}, {"centred", int64_t{1}}, {"epsilon", 1e-12}}},
      {Op::kNormalize,
       {{kF32, {3, 40, 2}}},
       {{"axis", int64_t{1}}, {"centred", int64_t{0}}, {"epsilon", 1e-6}}},
      {Op::kCast, {codes}, {{"to", "float32"}}},
      {Op::kCast, {image}, {{"to", "int32"}}},
      {Op::kCast, {codes}, {{"to", "bool"}}},
      {Op::kQuantize, {image, {kF32, {}}, {kI8, {}}}, {{"axis", int64_t{0}}}},
      {Op::kQuantize, {image, {kF32, {4}}, {DType::kUint8, {4}}}, {{"axis", int64_t{1}}}},
      {Op::kDequantize, {codes, {kF32, {}}, {kI8, {}}}, {{"axis", int64_t{0}}}},
      {Op::kDequantize,
       {{DType::kInt32, {3, 4}}, {kF32, {4}}, {DType::kInt32, {4}}},
       {{"axis", int64_t{1}}}},
      {Op::kIdentity, {image}, {}},
      {Op::kReshape, {image}, {{"shape", Ints{8, 42}}}},
      {Op::kReshape, {{kF32, {1}}}, {{"shape", Ints{}}}},
      {Op::kTranspose, {image}, {{"perm", Ints{0, 2, 3, 1}}}},
      {Op::kConcat, {{kI8, {2, 3}}, {kI8, {2, 1}}, {kI8, {2, 4}}}, {{"axis", int64_t{1}}}},
      {Op::kPad, {{kF32, {3, 4}}}, pad("constant")},
      {Op::kPad, {{kF32, {3, 2}}}, cut({0, -2, 0, 1})},  // nothing is left
      {Op::kPad, {{kI8, {2, 2}}}, cut({3, 0, -4, 0})},
      {Op::kPad, {{kF32, {3, 4}}}, pad("edge")},
      {Op::kPad, {{kF32, {4, 4}}}, pad("reflect")},
      {Op::kPad, {{kF32, {5}}}, reflect({4, 4})},
      {Op::kPad, {{kF32, {3}}}, reflect({11, 9})},  // there and back several times
      {Op::kPad, {{kI8, {2, 1, 5}}}, reflect({1, 2, -1, 0, 0, 3})},
      {Op::kPad, {image}, reflect({1, 0, 6, 5, 1, 3, 6, 5})},
      {Op::kSlice,
       {image},
       {{"starts", Ints{0, 3, 1, 0}}, {"steps", Ints{1, -2, 3, 1}}, {"shape", Ints{2, 2, 2, 6}}}},
      {Op::kSlice, {{kF32, {}}}, {{"starts", Ints{}}, {"steps", Ints{}}, {"shape", Ints{}}}},
      {Op::kGather, {image, {DType::kInt64, {3, 2}}}, {{"axis", int64_t{2}}}},
      {Op::kGather, {{kI8, {9}}, {DType::kInt32, {}}}, {{"axis", int64_t{0}}}},
      {Op::kExpand, {{kF32, {4, 1, 1}}}, {{"shape", Ints{2, 4, 3, 1}}}},
      {Op::kExpand, {{kF32, {}}}, {{"shape", Ints{2, 3}}}},
      {Op::kDepthToSpace, {{kF32, {2, 36, 3, 2}}}, blocks({2, 3}, {0, 0, 0, 0}, 1)},
      {Op::kDepthToSpace, {{kI8, {1, 24, 4, 3}}}, blocks({3, 2}, {2, 1, 3, 0}, 2)},
      {Op::kDepthToSpace, {{kF32, {2, 6, 5}}}, blocks({3}, {4, 1}, 2)},
      {Op::kDepthToSpace,
       {{DType::kUint8, {1, 16, 2, 2, 3}}},
       blocks({1, 2, 4}, {0, 0, 5, 1, 1, 2}, 1)},
      {Op::kIm2Col, {codes}, With(pool, {{"dilations", Ints{1, 2}}, {"pad_value", int64_t{-9}}})},
      {Op::kConv2dI8, Weighted({2, 4, 7, 6}, {6, 2, 3, 2}),
       With(With(conv, {{"pad_value", int64_t{-9}}}), kClamp)},
      {Op::kConv2dI8, Weighted({2, 4, 7, 6}, {6, 2, 3, 2}, DType::kInt16),
       With(With(conv, {{"pad_value", int64_t{-9}}}), kClamp)},
      {Op::kDenseI8, Weighted({3, 20}, {5, 20}), kClamp},
      {Op::kDenseI8, Weighted({3, 20}, {5, 20}, DType::kInt16), kClamp},
      {Op::kMatMulI8,
       {{kI8, {1, 20, 3, 2}}, {kI8, {10, 10}}, {DType::kInt32, {10}}},
       {{"groups", int64_t{2}},
        {"outputs", int64_t{5}},
        {"depth", int64_t{9}},
        {"multiplier", int64_t{1534567890}},
        {"exponent", int64_t{-9}},
        {"zero_point", int64_t{-7}},
        {"low", int64_t{-100}},
        {"high", int64_t{90}}}},
      {Op::kAddI8,
       {codes, {kI8, {4, 1, 1}}},
       With(kLane, {{"multiplier_a", int64_t{8191}}, {"multiplier_b", int64_t{-4001}}})},
      {Op::kAddLookupI8,
       {codes, {kI8, {4, 1, 1}}, {DType::kInt32, {256}}, {DType::kInt32, {256}}},
       {{"multiplier", int64_t{1534567890}},
        {"exponent", int64_t{-24}},
        {"zero_point", int64_t{-7}},
        {"low", int64_t{-100}},
        {"high", int64_t{90}}}},
      {Op::kMulI8,
       {codes, codes},
       {{"zero_a", int64_t{3}},
        {"zero_b", int64_t{-128}},
        {"multiplier", int64_t{1534567890}},
        {"exponent", int64_t{-6}},
        {"zero_point", int64_t{1}},
        {"low", int64_t{-128}},
        {"high", int64_t{127}}}},
      {Op::kMaxPoolI8, {codes}, pool},
      {Op::kUpsampleI8, {codes}, {{"scales", Shape{2, 3}}}},
      {Op::kResizeI8, {codes}, With(kLane, Resizes({2, 3}, 1, 2))},
      {Op::kResizeI8, {codes}, With(kLane, Resizes({4, 1}, 0, 1))},
      {Op::kResizeI8,
       {codes, codes, {DType::kInt32, {1, 4, 1, 1}}, {DType::kInt32, {1, 4, 1, 1}}},
       With(kLane, Resizes({2, 2}, 1, 1))},
      {Op::kAvgPoolI8, {codes}, With(With(pool, AveragesBy(0, 0)), kLane)},
      {Op::kAvgPoolI8, {codes}, With(With(pool, AveragesBy(3, 14)), kLane)},
      {Op::kAvgPoolI8,
       {codes,
        {DType::kInt32, {12}},
        {DType::kInt32, {12}},
        {DType::kInt32, {12}},
        {DType::kInt32, {12}},
        {DType::kInt32, {12}}},
       With(With(pool, AveragesBy(3, 14)), kLane)},
      {Op::kRequantI8, {codes}, kLane},
      {Op::kRequantI8, {{DType::kInt32, {3, 50}}}, kLane},
      {Op::kLookupI8, {codes, {kI8, {256}}}, {}},
      {Op::kPreluI8,
       {{kI8, {2, 4, 5, 7}}, {DType::kInt32, {1, 4, 1, 1}}, {DType::kInt32, {1, 4, 1, 1}}},
       With(kLane, {{"bias", int64_t{7}}})},
      {Op::kFlipSign, {codes}, {}},
      {Op::kFlipSign, {{DType::kUint8, {50}}}, {}},
      {Op::kPack,
       {{kI8, {3, 5, 2, 3}}},
       {{"batch_block", int64_t{2}}, {"channel_block", int64_t{4}}}},
      {Op::kPack, {{kI8, {3, 5}}}, {{"batch_block", int64_t{1}}, {"channel_block", int64_t{4}}}},
      {Op::kUnpack, {{kI8, {2, 2, 3, 2, 2, 4}}}, {{"shape", Ints{3, 5, 3, 2}}}},
      {Op::kUnpack, {{kI8, {3, 2, 1, 1, 1, 4}}}, {{"shape", Ints{3, 5}}}},
  };
}

namespace {

Tensor RandomTensor(const TensorType& type, std::mt19937& random) {
  Tensor tensor(type);
  DispatchDType(type.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& v : tensor.mutable_data<T>()) {
      if constexpr (std::is_floating_point_v<T>)
        v = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 700;
      else
        v = static_cast<T>(random());
    }
  });
  return tensor;
}

// Inputs that the op's meaning restricts: scales are positive, exponents and multipliers small,
// indices near.
void Restrict(const Case& c, std::vector<Tensor>& inputs, std::mt19937& random) {
  if (c.op == Op::kQuantize || c.op == Op::kDequantize)
    for (float& v : inputs[1].mutable_data<float>()) v = std::abs(v) + 0.01f;
  if (c.op == Op::kLog || c.op == Op::kSqrt || c.op == Op::kPow)
    for (float& v : inputs[0].mutable_data<float>()) v = std::abs(v) + 0.01f;
  if (c.op == Op::kDiv && inputs[1].dtype() == kF32)
    for (float& v : inputs[1].mutable_data<float>()) v += v < 0 ? -0.1f : 0.1f;
  if (c.op == Op::kGather)  // some beyond either end
    DispatchDType(inputs[1].dtype(), [&](auto zero) {
      for (auto& v : inputs[1].mutable_data<decltype(zero)>())
        v = static_cast<decltype(zero)>(random() % 40) - 20;
    });
  if (c.op == Op::kMatMulI8)
    for (int32_t& v : inputs[2].mutable_data<int32_t>()) v %= 5000;
  if (c.op == Op::kResizeI8)
    for (size_t i = 2; i < inputs.size(); ++i)
      for (int32_t& v : inputs[i].mutable_data<int32_t>()) v %= 5000;
  const auto restrict_scales = [&](size_t first) {
    for (int32_t& v : inputs[first].mutable_data<int32_t>()) v %= 5000;
    for (int32_t& v : inputs[first + 1].mutable_data<int32_t>()) v = (v & 0x3fffffff) | 0x40000000;
    for (int32_t& v : inputs[first + 2].mutable_data<int32_t>()) v = -(v & 7);
  };
  if (c.op == Op::kConv2dI8 || c.op == Op::kDenseI8) restrict_scales(2);
  if (c.op != Op::kAvgPoolI8 || inputs.size() == 1) return;
  restrict_scales(1);
  for (int32_t& v : inputs[4].mutable_data<int32_t>()) v = 1 + (v & 7);
  for (int32_t& v : inputs[5].mutable_data<int32_t>()) v &= 31;
}

}  // namespace

Example MakeExample(const Case& c, isa::Rounding rounding, std::mt19937& random) {
  Example example{Graph("case", rounding), {}};
  std::vector<ValueId> ids;
  for (const TensorType& type : c.inputs) {
    ids.push_back(example.graph.AddInput("x", type));
    example.inputs.push_back(RandomTensor(type, random));
  }
  Restrict(c, example.inputs, random);
  example.graph.AddOutput("y", example.graph.Emit(c.op, "node", ids, c.attributes));
  return example;
}

}  // namespace vta::compiler::operators
