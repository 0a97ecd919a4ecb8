#include "compiler/operators/operators.h"

#include <iterator>

#include "compiler/operators/lowering.h"

namespace vta::compiler::operators {
namespace {

struct Row {
  Op op;
  LowerOp lower;
  bool flat = false;  // sees its input and output as one dimension
};

// In the order of the op table.
constexpr Row kRows[] = {
    {Op::kConv2d, LowerConv2d},
    {Op::kGemm, LowerGemm},
    {Op::kMatMul, LowerMatMul},
    {Op::kAdd, LowerAdd},
    {Op::kSub, LowerSub},
    {Op::kMul, LowerMul},
    {Op::kDiv, LowerDiv},
    {Op::kMod, LowerMod},
    {Op::kMin, LowerMin},
    {Op::kMax, LowerMax},
    {Op::kPow, LowerPow},
    {Op::kEqual, LowerEqual},
    {Op::kLess, LowerLess},
    {Op::kLessEqual, LowerLessEqual},
    {Op::kAnd, LowerAnd},
    {Op::kOr, LowerOr},
    {Op::kNot, LowerNot},
    {Op::kWhere, LowerWhere},
    {Op::kRelu, LowerRelu},
    {Op::kClip, LowerClip},
    {Op::kAbs, LowerAbs},
    {Op::kSign, LowerSign},
    {Op::kFloor, LowerFloor},
    {Op::kRound, LowerRound},
    {Op::kExp, LowerExp},
    {Op::kLog, LowerLog},
    {Op::kSqrt, LowerSqrt},
    {Op::kTanh, LowerTanh},
    {Op::kErf, LowerErf},
    {Op::kGelu, LowerGelu},
    {Op::kSigmoid, LowerSigmoid},
    {Op::kSin, LowerSin},
    {Op::kCos, LowerCos},
    {Op::kMaxPool, LowerMaxPool},
    {Op::kAvgPool, LowerAvgPool},
    {Op::kReduceMean, LowerReduceMean},
    {Op::kReduceSum, LowerReduceSum},
    {Op::kReduceMax, LowerReduceMax},
    {Op::kReduceMin, LowerReduceMin},
    {Op::kArgMax, LowerArgMax},
    {Op::kTopK, LowerTopK},
    {Op::kSoftmax, LowerSoftmax},
    {Op::kCast, LowerCast},
    {Op::kQuantize, LowerQuantize},
    {Op::kDequantize, LowerDequantize},
    {Op::kIdentity, LowerIdentity},
    {Op::kReshape, LowerCopy, true},
    {Op::kTranspose, LowerTranspose},
    {Op::kConcat, LowerConcat},
    {Op::kPad, LowerPad},
    {Op::kSlice, LowerSlice},
    {Op::kGather, LowerGather},
    {Op::kExpand, LowerExpand},
    {Op::kDepthToSpace, LowerDepthToSpace},
    {Op::kIm2Col, LowerIm2Col},
    {Op::kNormalize, LowerNormalize},
    {Op::kConv2dI8, LowerConv2dI8},
    {Op::kDenseI8, LowerDenseI8},
    {Op::kMatMulI8, LowerMatMulI8},
    {Op::kAddI8, LowerAddI8},
    {Op::kAddLookupI8, LowerAddLookupI8},
    {Op::kMulI8, LowerMulI8},
    {Op::kMaxPoolI8, LowerMaxPoolI8},
    {Op::kUpsampleI8, LowerUpsampleI8},
    {Op::kResizeI8, LowerResizeI8},
    {Op::kAvgPoolI8, LowerAvgPoolI8},
    {Op::kRequantI8, LowerRequantI8},
    {Op::kLookupI8, LowerLookupI8},
    {Op::kPreluI8, LowerPreluI8},
    {Op::kFlipSign, LowerFlipSign},
    {Op::kPack, LowerPack},
    {Op::kUnpack, LowerUnpack},
};

static_assert([] {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].op != static_cast<Op>(i)) return false;
  return true;
}());

}  // namespace

namespace {

const Row& RowOf(const Node& node) {
  VTA_CHECK(static_cast<size_t>(node.op) < std::size(kRows));
  return kRows[static_cast<size_t>(node.op)];
}

te::Tensor Compute(const Graph& graph, const Node& node, std::vector<te::Tensor> inputs) {
  Lowering lowering{{node, {}}, graph.type(node.output), graph.rounding(), std::move(inputs)};
  for (ValueId input : node.inputs) lowering.inputs.push_back(&graph.type(input));
  LoopType(lowering, lowering.output.dtype);
  return RowOf(node).lower(lowering);
}

/// The same elements, row by row, under another shape.
te::Tensor Reshaped(const te::Tensor& tensor, const Shape& shape) {
  const Shape own = tensor.shape();
  if (own == shape) return tensor;
  return te::View(tensor.name(), shape, tensor.dtype(), [=](const std::vector<Expr>& at) {
    Expr rest = 0;
    for (size_t d = 0; d < shape.size(); ++d) rest = rest * shape[d] + at[d];
    std::vector<Expr> index(own.size());
    for (size_t d = own.size(); d-- > 0; rest = FloorDiv(rest, Expr(own[d])))
      index[d] = FloorMod(rest, Expr(own[d]));  // the first, too: guards alone may not show its end
    return tensor.At(index);
  });
}

}  // namespace

te::Tensor Define(const Graph& graph, const Node& node, const std::vector<te::Tensor>& inputs) {
  const Shape shape = LoopShape(graph.shape(node.output));
  const te::Tensor y = Compute(
      graph, node, RowOf(node).flat ? std::vector{Reshaped(inputs[0], {Elements(shape)})} : inputs);
  if (y.shape() == shape) return y;
  return Reshaped(te::IsElementwise(y) ? te::Inlined(y) : y, shape);
}

loop::Function Lower(const Graph& graph, const Node& node, const std::string& name) {
  std::vector<te::Tensor> params;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorType& type = graph.type(node.inputs[i]);
    const Shape shape = RowOf(node).flat ? Shape{Elements(type.shape)} : LoopShape(type.shape);
    params.push_back(
        te::Placeholder(StrCat("x", i), shape, LoopType(OpView{node, {}}, type.dtype)));
  }
  params.push_back(Compute(graph, node, params));
  return te::Lower(name, params);
}

}  // namespace vta::compiler::operators
