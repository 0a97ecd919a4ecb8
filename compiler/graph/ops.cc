#include "compiler/graph/ops.h"

#include <array>

#include "compiler/graph/ops/families.h"

namespace vta::compiler {
namespace {

using enum AttributeKind;
using A = AttributeSpec;

constexpr A kNothing[] = {{"", kInt}};  // an array cannot be empty; the span below is
constexpr std::span<const A> kNoAttributes(kNothing, 0);
constexpr A kConv[] = {{"strides", kInts}, {"pads", kInts}, {"dilations", kInts}, {"groups", kInt}};
constexpr A kGemm[] = {{"alpha", kDouble}, {"beta", kDouble}, {"trans_a", kInt}, {"trans_b", kInt}};
constexpr A kClip[] = {{"low", kDouble}, {"high", kDouble}};
constexpr A kMaxPool[] = {
    {"kernel", kInts}, {"strides", kInts}, {"pads", kInts}, {"dilations", kInts}};
constexpr A kAvgPool[] = {
    {"kernel", kInts}, {"strides", kInts}, {"pads", kInts}, {"count_include_pad", kInt}};
constexpr A kArgMax[] = {{"axis", kInt}, {"last", kInt}};
constexpr A kTopK[] = {{"axis", kInt}, {"k", kInt}};
constexpr A kReduce[] = {{"axes", kInts}, {"keepdims", kInt}};
constexpr A kAxis[] = {{"axis", kInt}};
constexpr A kNormalize[] = {{"axis", kInt}, {"centred", kInt}, {"epsilon", kDouble}};
constexpr A kCast[] = {{"to", kString}};
constexpr A kReshape[] = {{"shape", kInts}};
constexpr A kTranspose[] = {{"perm", kInts}};
constexpr A kPad[] = {{"mode", kString}, {"pads", kInts}, {"value", kDouble}};
constexpr A kSlice[] = {{"starts", kInts}, {"steps", kInts}, {"shape", kInts}};
constexpr A kDepthToSpace[] = {{"blocks", kInts}, {"crops", kInts}, {"groups", kInt}};
constexpr A kIm2Col[] = {{"kernel", kInts},
                         {"strides", kInts},
                         {"pads", kInts},
                         {"dilations", kInts},
                         {"pad_value", kInt}};
constexpr A kConvI8[] = {{"strides", kInts}, {"pads", kInts},     {"dilations", kInts},
                         {"groups", kInt},   {"pad_value", kInt}, {"zero_point", kInt},
                         {"low", kInt},      {"high", kInt}};
constexpr A kDenseI8[] = {{"zero_point", kInt}, {"low", kInt}, {"high", kInt}};
constexpr A kMatMulI8[] = {{"groups", kInt},     {"outputs", kInt},  {"depth", kInt},
                           {"multiplier", kInt}, {"exponent", kInt}, {"zero_point", kInt},
                           {"low", kInt},        {"high", kInt}};
constexpr A kAddI8[] = {{"multiplier_a", kInt}, {"multiplier_b", kInt}, {"bias", kInt},
                        {"multiplier", kInt},   {"exponent", kInt},     {"zero_point", kInt},
                        {"low", kInt},          {"high", kInt}};
constexpr A kAddLookupI8[] = {
    {"multiplier", kInt}, {"exponent", kInt}, {"zero_point", kInt}, {"low", kInt}, {"high", kInt}};
constexpr A kMulI8[] = {{"zero_a", kInt},   {"zero_b", kInt},     {"multiplier", kInt},
                        {"exponent", kInt}, {"zero_point", kInt}, {"low", kInt},
                        {"high", kInt}};
constexpr A kAvgPoolI8[] = {{"kernel", kInts},    {"strides", kInts}, {"pads", kInts},
                            {"pad_value", kInt},  {"bias", kInt},     {"multiplier", kInt},
                            {"exponent", kInt},   {"factor", kInt},   {"divisor", kInt},
                            {"zero_point", kInt}, {"low", kInt},      {"high", kInt}};
constexpr A kMaxPoolI8[] = {{"kernel", kInts}, {"strides", kInts}, {"pads", kInts}};
constexpr A kUpsampleI8[] = {{"scales", kInts}};
constexpr A kResizeI8[] = {{"scales", kInts},    {"half_pixel", kInt}, {"factor", kInt},
                           {"bias", kInt},       {"multiplier", kInt}, {"exponent", kInt},
                           {"zero_point", kInt}, {"low", kInt},        {"high", kInt}};
constexpr A kRequantI8[] = {{"bias", kInt},       {"multiplier", kInt}, {"exponent", kInt},
                            {"zero_point", kInt}, {"low", kInt},        {"high", kInt}};
constexpr A kPack[] = {{"batch_block", kInt}, {"channel_block", kInt}};
constexpr A kUnpack[] = {{"shape", kInts}};

using namespace ops;  // NOLINT: the table below is made of that namespace's functions
constexpr int kMany = 1 << 20;

// What rows have in common: fold, elementwise.
constexpr OpTraits kPlain{false, false}, kCheap{true, false}, kEach{true, true},
    kEachKept{false, true};

// In the enumeration's order: op, name, inputs (least, most), attributes, traits, shape rule,
// evaluator.
constexpr OpSpec kOps[] = {
    {Op::kConv2d, "conv2d", 2, 3, kConv, kPlain, InferConv2d, EvalConv2d},
    {Op::kGemm, "gemm", 2, 3, kGemm, kPlain, InferGemm, EvalGemm},
    {Op::kMatMul, "matmul", 2, 2, kNoAttributes, kPlain, InferMatMul, EvalMatMul},
    {Op::kAdd, "add", 2, 2, kNoAttributes, kEach, InferBinary, EvalAdd},
    {Op::kSub, "sub", 2, 2, kNoAttributes, kEach, InferBinary, EvalSub},
    {Op::kMul, "mul", 2, 2, kNoAttributes, kEach, InferBinary, EvalMul},
    {Op::kDiv, "div", 2, 2, kNoAttributes, kEach, InferBinary, EvalDiv},
    {Op::kMod, "mod", 2, 2, kNoAttributes, kEach, InferMod, EvalMod},
    {Op::kMin, "min", 2, 2, kNoAttributes, kEach, InferBinary, EvalMin},
    {Op::kMax, "max", 2, 2, kNoAttributes, kEach, InferBinary, EvalMax},
    {Op::kPow, "pow", 2, 2, kNoAttributes, kEach, InferPow, EvalPow},
    {Op::kEqual, "equal", 2, 2, kNoAttributes, kEach, InferEqual, EvalEqual},
    {Op::kLess, "less", 2, 2, kNoAttributes, kEach, InferLess, EvalLess},
    {Op::kLessEqual, "less_equal", 2, 2, kNoAttributes, kEach, InferLess, EvalLessEqual},
    {Op::kAnd, "and", 2, 2, kNoAttributes, kEach, InferLogic, EvalAnd},
    {Op::kOr, "or", 2, 2, kNoAttributes, kEach, InferLogic, EvalOr},
    {Op::kNot, "not", 1, 1, kNoAttributes, kEach, InferNot, EvalNot},
    {Op::kWhere, "where", 3, 3, kNoAttributes, kEach, InferWhere, EvalWhere},
    {Op::kRelu, "relu", 1, 1, kNoAttributes, kEach, InferSame, EvalRelu},
    {Op::kClip, "clip", 1, 1, kClip, kEach, InferSame, EvalClip},
    {Op::kAbs, "abs", 1, 1, kNoAttributes, kEach, InferNumber, EvalAbs},
    {Op::kSign, "sign", 1, 1, kNoAttributes, kEach, InferNumber, EvalSign},
    {Op::kFloor, "floor", 1, 1, kNoAttributes, kEach, InferFloat, EvalFloor},
    {Op::kRound, "round", 1, 1, kNoAttributes, kEach, InferFloat, EvalRound},
    {Op::kExp, "exp", 1, 1, kNoAttributes, kEach, InferFloat, EvalExp},
    {Op::kLog, "log", 1, 1, kNoAttributes, kEach, InferFloat, EvalLog},
    {Op::kSqrt, "sqrt", 1, 1, kNoAttributes, kEach, InferFloat, EvalSqrt},
    {Op::kTanh, "tanh", 1, 1, kNoAttributes, kEach, InferFloat, EvalTanh},
    {Op::kErf, "erf", 1, 1, kNoAttributes, kEach, InferFloat, EvalErf},
    {Op::kGelu, "gelu", 1, 1, kNoAttributes, kEach, InferFloat, EvalGelu},
    {Op::kSigmoid, "sigmoid", 1, 1, kNoAttributes, kEach, InferFloat, EvalSigmoid},
    {Op::kSin, "sin", 1, 1, kNoAttributes, kEach, InferFloat, EvalSin},
    {Op::kCos, "cos", 1, 1, kNoAttributes, kEach, InferFloat, EvalCos},
    {Op::kMaxPool, "max_pool", 1, 1, kMaxPool, kPlain, InferMaxPool, EvalMaxPool},
    {Op::kAvgPool, "avg_pool", 1, 1, kAvgPool, kPlain, InferAvgPool, EvalAvgPool},
    {Op::kReduceMean, "reduce_mean", 1, 1, kReduce, kCheap, InferReduceMean, EvalReduceMean},
    {Op::kReduceSum, "reduce_sum", 1, 1, kReduce, kCheap, InferReduce, EvalReduceSum},
    {Op::kReduceMax, "reduce_max", 1, 1, kReduce, kCheap, InferReduce, EvalReduceMax},
    {Op::kReduceMin, "reduce_min", 1, 1, kReduce, kCheap, InferReduce, EvalReduceMin},
    {Op::kArgMax, "arg_max", 1, 1, kArgMax, kCheap, InferArgMax, EvalArgMax},
    {Op::kTopK, "top_k", 1, 1, kTopK, kCheap, InferTopK, EvalTopK},
    {Op::kSoftmax, "softmax", 1, 1, kAxis, kPlain, InferSoftmax, EvalSoftmax},
    {Op::kCast, "cast", 1, 1, kCast, kEach, InferCast, EvalCast},
    {Op::kQuantize, "quantize", 3, 3, kAxis, kEach, InferQuantize, EvalQuantize},
    {Op::kDequantize, "dequantize", 3, 3, kAxis, kEachKept, InferDequantize, EvalDequantize},
    {Op::kIdentity, "identity", 1, 1, kNoAttributes, kCheap, InferSame, EvalIdentity},
    {Op::kReshape, "reshape", 1, 1, kReshape, kCheap, InferReshape, EvalReshape},
    {Op::kTranspose, "transpose", 1, 1, kTranspose, kCheap, InferTranspose, EvalTranspose},
    {Op::kConcat, "concat", 1, kMany, kAxis, kCheap, InferConcat, EvalConcat},
    {Op::kPad, "pad", 1, 1, kPad, kCheap, InferPad, EvalPad},
    {Op::kSlice, "slice", 1, 1, kSlice, kCheap, InferSlice, EvalSlice},
    {Op::kGather, "gather", 2, 2, kAxis, kCheap, InferGather, EvalGather},
    {Op::kExpand, "expand", 1, 1, kReshape, kCheap, InferExpand, EvalExpand},
    {Op::kDepthToSpace, "depth_to_space", 1, 1, kDepthToSpace, kCheap, InferDepthToSpace,
     EvalDepthToSpace},
    {Op::kIm2Col, "im2col", 1, 1, kIm2Col, kPlain, InferIm2Col, EvalIm2Col},
    {Op::kNormalize, "normalize", 1, 1, kNormalize, kPlain, InferSoftmax, EvalNormalize},
    {Op::kConv2dI8, "conv2d_i8", 5, 5, kConvI8, kPlain, InferConv2dI8, EvalConv2dI8},
    {Op::kDenseI8, "dense_i8", 5, 5, kDenseI8, kPlain, InferDenseI8, EvalDenseI8},
    {Op::kMatMulI8, "matmul_i8", 3, 3, kMatMulI8, kPlain, InferMatMulI8, EvalMatMulI8},
    {Op::kAddI8, "add_i8", 2, 2, kAddI8, kEachKept, InferBinaryI8, EvalAddI8},
    {Op::kAddLookupI8, "add_lookup_i8", 4, 4, kAddLookupI8, kEachKept, InferAddLookupI8,
     EvalAddLookupI8},
    {Op::kMulI8, "mul_i8", 2, 2, kMulI8, kEachKept, InferBinaryI8, EvalMulI8},
    {Op::kMaxPoolI8, "max_pool_i8", 1, 1, kMaxPoolI8, kPlain, InferMaxPoolI8, EvalMaxPoolI8},
    {Op::kUpsampleI8, "upsample_i8", 1, 1, kUpsampleI8, kPlain, InferUpsampleI8, EvalUpsampleI8},
    {Op::kResizeI8, "resize_i8", 1, 4, kResizeI8, kPlain, InferResizeI8, EvalResizeI8},
    {Op::kAvgPoolI8, "avg_pool_i8", 1, 6, kAvgPoolI8, kPlain, InferAvgPoolI8, EvalAvgPoolI8},
    {Op::kRequantI8, "requant_i8", 1, 1, kRequantI8, kEach, InferRequantI8, EvalRequantI8},
    {Op::kLookupI8, "lookup_i8", 2, 2, kNoAttributes, kEach, InferLookupI8, EvalLookupI8},
    {Op::kPreluI8, "prelu_i8", 3, 3, kRequantI8, kEachKept, InferPreluI8, EvalPreluI8},
    {Op::kFlipSign, "flip_sign", 1, 1, kNoAttributes, kEach, InferFlipSign, EvalFlipSign},
    {Op::kPack, "pack", 1, 1, kPack, kCheap, InferPack, EvalPack},
    {Op::kUnpack, "unpack", 1, 1, kUnpack, kPlain, InferUnpack, EvalUnpack},
    {Op::kCopy, "copy", 1, 1, kNoAttributes, kPlain, InferSame, EvalIdentity},
};

static_assert([] {
  for (size_t i = 0; i < std::size(kOps); ++i) {
    if (kOps[i].op != static_cast<Op>(i)) return false;
  }
  return kOps[std::size(kOps) - 1].op == Op::kCopy;
}());

void CheckAttributes(const OpView& view, const OpSpec& spec) {
  for (const AttributeSpec& wanted : spec.attributes) {
    bool found = false;
    for (const auto& [name, value] : view.node.attributes) {
      if (name != wanted.name) continue;
      found = true;
      view.Require(KindOf(value) == wanted.kind, StrCat("attribute ", name), ToText(value),
                   StrCat("must be a ", Name(wanted.kind)));
    }
    view.Require(found, StrCat("attribute ", wanted.name), "missing", "is required");
  }
  for (const auto& [name, value] : view.node.attributes) {
    bool known = false;
    for (const AttributeSpec& wanted : spec.attributes) known |= name == wanted.name;
    view.Require(known, StrCat("attribute ", name), ToText(value), "the op has no such attribute");
  }
}

}  // namespace

bool MovesData(Op op) {
  return op == Op::kReshape || op == Op::kTranspose || op == Op::kIdentity || op == Op::kConcat ||
         op == Op::kPad || op == Op::kSlice || op == Op::kGather || op == Op::kExpand ||
         op == Op::kDepthToSpace;
}

Error OpView::Fail(std::string what, std::string value, std::string rule) const {
  return Error(StrCat(Spec(node.op).name, " \"", node.name, "\""), std::move(what),
               std::move(value), std::move(rule));
}

void OpView::Require(bool holds, std::string_view what, std::string_view value,
                     std::string_view rule) const {
  if (!holds) throw Fail(std::string(what), std::string(value), std::string(rule));
}

const OpSpec& Spec(Op op) { return kOps[static_cast<size_t>(op)]; }

std::span<const OpSpec> AllOps() { return kOps; }

const OpSpec* FindOp(std::string_view name) {
  for (const OpSpec& spec : kOps) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

TensorType InferType(const Graph& graph, const Node& node) {
  const OpSpec& spec = Spec(node.op);
  OpView view{node, {}};
  for (ValueId input : node.inputs) view.inputs.push_back(&graph.type(input));
  const int count = static_cast<int>(node.inputs.size());
  view.Require(count >= spec.min_inputs && count <= spec.max_inputs, "inputs", StrCat(count),
               StrCat("must be ", spec.min_inputs, " to ", spec.max_inputs));
  CheckAttributes(view, spec);
  TensorType type = spec.infer(view);
  view.Require(CheckedElements(type.shape).has_value(), "output shape", ToText(type.shape),
               "every dimension must be at least 1 and their product at most 2^40");
  return type;
}

}  // namespace vta::compiler
