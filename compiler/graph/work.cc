#include "compiler/graph/work.h"

#include "compiler/graph/facts.h"
#include "compiler/graph/ops.h"

namespace vta::compiler {
namespace {

// Codes from a sum, or from a float: a product, a rounding, a zero point and two limits.
constexpr int64_t kRescaling = 5;
// A byte of a table, by an address: as much as the operations that a vector does meanwhile.
constexpr int64_t kTableRead = 4;

// Of a node, for each element of its output.
struct PerElement {
  int64_t elements = 0, functions = 0;
};

int64_t TapsOf(const Node& node) {
  int64_t taps = 1;
  for (const int64_t extent : node.Ints("kernel")) taps *= extent;
  return taps;
}

PerElement PerElementOf(const Graph& graph, const Node& node) {
  switch (node.op) {
    case Op::kConv2d:
    case Op::kGemm:
      return {node.inputs.size() > 2 ? 1 : 0};  // the bias
    case Op::kConv2dI8:
    case Op::kDenseI8:
    case Op::kMatMulI8:
      return {1 + kRescaling};
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMin:
    case Op::kMax:
    case Op::kEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kWhere:
    case Op::kRelu:
    case Op::kAbs:
    case Op::kSign:
    case Op::kFloor:
    case Op::kRound:
    case Op::kCast:
    case Op::kFlipSign:
      return {1};
    case Op::kClip:
    case Op::kDequantize:
      return {2};
    case Op::kDiv:
    case Op::kMod:
    case Op::kPow:
    case Op::kExp:
    case Op::kLog:
    case Op::kSqrt:
    case Op::kTanh:
    case Op::kErf:
    case Op::kGelu:
    case Op::kSigmoid:
    case Op::kSin:
    case Op::kCos:
      return {0, 1};
    case Op::kSoftmax:
      return {4, 1};  // the greatest, a difference, a sum and a scale
    case Op::kNormalize:
      return {6};  // a sum, a difference and its square, their sum, and a scale
    case Op::kMaxPool:
    case Op::kMaxPoolI8:
      return {TapsOf(node)};
    case Op::kAvgPool:
      return {TapsOf(node) + 1};
    case Op::kResizeI8:
      return {7 + kRescaling};  // four products and their sum
    case Op::kAvgPoolI8:
      return {TapsOf(node) + kRescaling};
    case Op::kReduceMean:
    case Op::kReduceSum:
    case Op::kReduceMax:
    case Op::kReduceMin:
    case Op::kArgMax:
    case Op::kTopK:
      return {Elements(graph.shape(node.inputs[0])) / Elements(graph.shape(node.output))};
    case Op::kQuantize:
    case Op::kRequantI8:
    case Op::kPreluI8:
      return {kRescaling};
    case Op::kAddI8:
    case Op::kMulI8:
      return {3 + kRescaling};  // two operands, each changed, and their sum or product
    case Op::kAddLookupI8:
      return {2 * kTableRead + 1 + kRescaling};
    case Op::kLookupI8:
      return {kTableRead};
    case Op::kMatMul:
    case Op::kIdentity:
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kConcat:
    case Op::kPad:
    case Op::kSlice:
    case Op::kGather:
    case Op::kExpand:
    case Op::kDepthToSpace:
    case Op::kIm2Col:
    case Op::kPack:
    case Op::kUnpack:
    case Op::kCopy:
      return {};
  }
  return {};
}

isa::WorkKind ProductsOf(const Graph& graph, const Node& node) {
  if (node.attributes.Has("groups") && node.Int("groups") > 1 &&
      graph.shape(node.inputs[1])[1] == 1)
    return isa::WorkKind::kChannelProducts;
  return IsFloat(graph.type(node.inputs[0]).dtype) ? isa::WorkKind::kFloatProducts
                                                   : isa::WorkKind::kCodeProducts;
}

}  // namespace

isa::WorkCounts WorkOf(const Graph& graph, const Step& step) {
  isa::WorkCounts work = {};
  const auto add = [&](isa::WorkKind kind, int64_t count) {
    work[static_cast<size_t>(kind)] += count;
  };
  for (const NodeId id : step.nodes) {
    const Node& node = graph.nodes()[id];
    const int64_t elements = Elements(graph.shape(node.output));
    const PerElement each = PerElementOf(graph, node);
    if (const int64_t macs = MacsOf(graph, node); macs > 0) add(ProductsOf(graph, node), macs);
    add(isa::WorkKind::kElements, each.elements * elements);
    add(isa::WorkKind::kFunctions, each.functions * elements);
  }
  return work;
}

}  // namespace vta::compiler
