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
    {Op::kMul, LowerMul},
    {Op::kRelu, LowerRelu},
    {Op::kClip, LowerClip},
    {Op::kMaxPool, LowerMaxPool},
    {Op::kAvgPool, LowerAvgPool},
    {Op::kReduceMean, LowerReduceMean},
    {Op::kSoftmax, LowerSoftmax},
    {Op::kCast, LowerCast},
    {Op::kQuantize, LowerQuantize},
    {Op::kDequantize, LowerDequantize},
    {Op::kIdentity, LowerCopy, true},
    {Op::kReshape, LowerCopy, true},
    {Op::kTranspose, LowerTranspose},
    {Op::kConcat, LowerConcat},
    {Op::kPad, LowerPad},
    {Op::kIm2Col, LowerIm2Col},
    {Op::kConv2dI8, LowerConv2dI8},
    {Op::kDenseI8, LowerDenseI8},
    {Op::kAddI8, LowerAddI8},
    {Op::kAddLookupI8, LowerAddLookupI8},
    {Op::kMulI8, LowerMulI8},
    {Op::kMaxPoolI8, LowerMaxPoolI8},
    {Op::kAvgPoolI8, LowerAvgPoolI8},
    {Op::kRequantI8, LowerRequantI8},
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

loop::Function Lower(const Graph& graph, const Node& node, const std::string& name) {
  VTA_CHECK(static_cast<size_t>(node.op) < std::size(kRows));
  const Row& row = kRows[static_cast<size_t>(node.op)];
  Lowering lowering{{node, {}}, graph.type(node.output), graph.rounding(), {}};
  std::vector<te::Tensor> params;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorType& type = graph.type(node.inputs[i]);
    lowering.inputs.push_back(&type);
    const Shape shape = row.flat ? Shape{Elements(type.shape)} : LoopShape(type.shape);
    params.push_back(te::Placeholder(StrCat("x", i), shape, LoopType(lowering, type.dtype)));
  }
  lowering.tensors = params;
  LoopType(lowering, lowering.output.dtype);
  params.push_back(row.lower(lowering));
  return te::Lower(name, params);
}

}  // namespace vta::compiler::operators
