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
constexpr A kReduce[] = {{"axes", kInts}, {"keepdims", kInt}};
constexpr A kAxis[] = {{"axis", kInt}};
constexpr A kCast[] = {{"to", kString}};
constexpr A kReshape[] = {{"shape", kInts}};
constexpr A kTranspose[] = {{"perm", kInts}};
constexpr A kPad[] = {{"mode", kString}, {"pads", kInts}, {"value", kDouble}};
constexpr A kIm2Col[] = {{"kernel", kInts},
                         {"strides", kInts},
                         {"pads", kInts},
                         {"dilations", kInts},
                         {"pad_value", kInt}};
constexpr A kConvI8[] = {{"strides", kInts}, {"pads", kInts},     {"dilations", kInts},
                         {"groups", kInt},   {"pad_value", kInt}, {"zero_point", kInt},
                         {"low", kInt},      {"high", kInt}};
constexpr A kDenseI8[] = {{"zero_point", kInt}, {"low", kInt}, {"high", kInt}};
constexpr A kAddI8[] = {{"multiplier_a", kInt}, {"multiplier_b", kInt}, {"bias", kInt},
                        {"multiplier", kInt},   {"exponent", kInt},     {"zero_point", kInt},
                        {"low", kInt},          {"high", kInt}};
constexpr A kAddLookupI8[] = {
    {"multiplier", kInt}, {"exponent", kInt}, {"zero_point", kInt}, {"low", kInt}, {"high", kInt}};
constexpr A kMulI8[] = {{"zero_a", kInt},   {"zero_b", kInt},     {"multiplier", kInt},
                        {"exponent", kInt}, {"zero_point", kInt}, {"low", kInt},
                        {"high", kInt}};
constexpr A kAvgPoolI8[] = {{"kernel", kInts},   {"strides", kInts},   {"pads", kInts},
                            {"pad_value", kInt}, {"bias", kInt},       {"multiplier", kInt},
                            {"exponent", kInt},  {"zero_point", kInt}, {"low", kInt},
                            {"high", kInt}};
constexpr A kMaxPoolI8[] = {{"kernel", kInts}, {"strides", kInts}, {"pads", kInts}};
constexpr A kRequantI8[] = {{"bias", kInt},       {"multiplier", kInt}, {"exponent", kInt},
                            {"zero_point", kInt}, {"low", kInt},        {"high", kInt}};
constexpr A kPack[] = {{"batch_block", kInt}, {"channel_block", kInt}};
constexpr A kUnpack[] = {{"shape", kInts}};

using namespace ops;  // NOLINT: the table below is made of that namespace's functions
constexpr int kMany = 1 << 20;

// In the enumeration's order: op, name, inputs (least, most), attributes, fold, shape rule,
// evaluator.
constexpr OpSpec kOps[] = {
    {Op::kConv2d, "conv2d", 2, 3, kConv, false, InferConv2d, EvalConv2d},
    {Op::kGemm, "gemm", 2, 3, kGemm, false, InferGemm, EvalGemm},
    {Op::kMatMul, "matmul", 2, 2, kNoAttributes, false, InferMatMul, EvalMatMul},
    {Op::kAdd, "add", 2, 2, kNoAttributes, true, InferBinary, EvalAdd},
    {Op::kMul, "mul", 2, 2, kNoAttributes, true, InferBinary, EvalMul},
    {Op::kRelu, "relu", 1, 1, kNoAttributes, true, InferSame, EvalRelu},
    {Op::kClip, "clip", 1, 1, kClip, true, InferSame, EvalClip},
    {Op::kMaxPool, "max_pool", 1, 1, kMaxPool, false, InferMaxPool, EvalMaxPool},
    {Op::kAvgPool, "avg_pool", 1, 1, kAvgPool, false, InferAvgPool, EvalAvgPool},
    {Op::kReduceMean, "reduce_mean", 1, 1, kReduce, false, InferReduceMean, EvalReduceMean},
    {Op::kSoftmax, "softmax", 1, 1, kAxis, false, InferSoftmax, EvalSoftmax},
    {Op::kCast, "cast", 1, 1, kCast, true, InferCast, EvalCast},
    {Op::kQuantize, "quantize", 3, 3, kAxis, true, InferQuantize, EvalQuantize},
    {Op::kDequantize, "dequantize", 3, 3, kAxis, false, InferDequantize, EvalDequantize},
    {Op::kIdentity, "identity", 1, 1, kNoAttributes, true, InferSame, EvalIdentity},
    {Op::kReshape, "reshape", 1, 1, kReshape, true, InferReshape, EvalReshape},
    {Op::kTranspose, "transpose", 1, 1, kTranspose, true, InferTranspose, EvalTranspose},
    {Op::kConcat, "concat", 1, kMany, kAxis, true, InferConcat, EvalConcat},
    {Op::kPad, "pad", 1, 1, kPad, true, InferPad, EvalPad},
    {Op::kIm2Col, "im2col", 1, 1, kIm2Col, false, InferIm2Col, EvalIm2Col},
    {Op::kConv2dI8, "conv2d_i8", 5, 5, kConvI8, false, InferConv2dI8, EvalConv2dI8},
    {Op::kDenseI8, "dense_i8", 5, 5, kDenseI8, false, InferDenseI8, EvalDenseI8},
    {Op::kAddI8, "add_i8", 2, 2, kAddI8, false, InferBinaryI8, EvalAddI8},
    {Op::kAddLookupI8, "add_lookup_i8", 4, 4, kAddLookupI8, false, InferAddLookupI8,
     EvalAddLookupI8},
    {Op::kMulI8, "mul_i8", 2, 2, kMulI8, false, InferBinaryI8, EvalMulI8},
    {Op::kMaxPoolI8, "max_pool_i8", 1, 1, kMaxPoolI8, false, InferMaxPoolI8, EvalMaxPoolI8},
    {Op::kAvgPoolI8, "avg_pool_i8", 1, 1, kAvgPoolI8, false, InferAvgPoolI8, EvalAvgPoolI8},
    {Op::kRequantI8, "requant_i8", 1, 1, kRequantI8, true, InferRequantI8, EvalRequantI8},
    {Op::kFlipSign, "flip_sign", 1, 1, kNoAttributes, true, InferFlipSign, EvalFlipSign},
    {Op::kPack, "pack", 1, 1, kPack, true, InferPack, EvalPack},
    {Op::kUnpack, "unpack", 1, 1, kUnpack, false, InferUnpack, EvalUnpack},
};

static_assert([] {
  for (size_t i = 0; i < std::size(kOps); ++i) {
    if (kOps[i].op != static_cast<Op>(i)) return false;
  }
  return kOps[std::size(kOps) - 1].op == Op::kUnpack;
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
