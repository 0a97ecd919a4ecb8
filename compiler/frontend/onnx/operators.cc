#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

constexpr std::string_view kOnnx = "", kMicrosoft = "com.microsoft";
constexpr int kMany = 1 << 20;

/// One op of the graph on all of the inputs.
template <Op op>
void ConvertAs(OnnxNode& node) {
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.Input(i));
  node.Result(node.Emit(op, inputs));
}

/// The first input, then the op with each of the others.
template <Op op>
void ConvertChain(OnnxNode& node) {
  ValueId result = node.Input(0);
  for (int64_t i = 1; i < node.input_count(); ++i) result = node.Emit(op, {result, node.Input(i)});
  node.Result(result);
}

// Domain, operator, least opset, inputs (least, most), outputs, converter.
constexpr OnnxOperator kOperators[] = {
    {kOnnx, "Abs", 6, 1, 1, 1, ConvertAs<Op::kAbs>},
    {kOnnx, "Add", 7, 2, 2, 1, ConvertAs<Op::kAdd>},
    {kOnnx, "And", 7, 2, 2, 1, ConvertAs<Op::kAnd>},
    {kOnnx, "ArgMax", 1, 1, 1, 1, ConvertArgMax},
    {kOnnx, "ArgMin", 1, 1, 1, 1, ConvertArgMin},
    {kOnnx, "AveragePool", 1, 1, 1, 1, ConvertAveragePool},
    {kOnnx, "BatchNormalization", 7, 5, 5, 1, ConvertBatchNormalization},
    {kOnnx, "Cast", 6, 1, 1, 1, ConvertCast},
    {kOnnx, "CastLike", 15, 2, 2, 1, ConvertCastLike},
    {kOnnx, "Ceil", 6, 1, 1, 1, ConvertCeil},
    {kOnnx, "Celu", 12, 1, 1, 1, ConvertCelu},
    {kOnnx, "Clip", 6, 1, 3, 1, ConvertClip},
    {kOnnx, "Concat", 4, 1, kMany, 1, ConvertConcat},
    {kOnnx, "Constant", 1, 0, 0, 1, ConvertConstant},
    {kOnnx, "ConstantOfShape", 9, 1, 1, 1, ConvertConstantOfShape},
    {kOnnx, "Conv", 1, 2, 3, 1, ConvertConv},
    {kOnnx, "ConvTranspose", 1, 2, 3, 1, ConvertConvTranspose},
    {kOnnx, "DepthToSpace", 1, 1, 1, 1, ConvertDepthToSpace},
    {kOnnx, "DequantizeLinear", 10, 2, 3, 1, ConvertDequantizeLinear},
    {kOnnx, "Div", 7, 2, 2, 1, ConvertAs<Op::kDiv>},
    {kOnnx, "Dropout", 7, 1, 3, 2, ConvertDropout},
    {kOnnx, "Elu", 6, 1, 1, 1, ConvertElu},
    {kOnnx, "Equal", 7, 2, 2, 1, ConvertAs<Op::kEqual>},
    {kOnnx, "Erf", 9, 1, 1, 1, ConvertAs<Op::kErf>},
    {kOnnx, "Exp", 6, 1, 1, 1, ConvertAs<Op::kExp>},
    {kOnnx, "Expand", 8, 2, 2, 1, ConvertExpand},
    {kOnnx, "EyeLike", 9, 1, 1, 1, ConvertEyeLike},
    {kOnnx, "Flatten", 1, 1, 1, 1, ConvertFlatten},
    {kOnnx, "Floor", 6, 1, 1, 1, ConvertAs<Op::kFloor>},
    {kOnnx, "Gather", 1, 2, 2, 1, ConvertGather},
    {kOnnx, "GatherElements", 11, 2, 2, 1, ConvertGatherElements},
    {kOnnx, "GatherND", 11, 2, 2, 1, ConvertGatherND},
    {kOnnx, "Gelu", 20, 1, 1, 1, ConvertGelu},
    {kOnnx, "Gemm", 7, 2, 3, 1, ConvertGemm},
    {kOnnx, "GlobalAveragePool", 1, 1, 1, 1, ConvertGlobalAveragePool},
    {kOnnx, "GlobalMaxPool", 1, 1, 1, 1, ConvertGlobalMaxPool},
    {kOnnx, "Greater", 7, 2, 2, 1, ConvertGreater},
    {kOnnx, "GreaterOrEqual", 12, 2, 2, 1, ConvertGreaterOrEqual},
    {kOnnx, "GroupNormalization", 21, 3, 3, 1, ConvertGroupNormalization},
    {kOnnx, "HardSigmoid", 6, 1, 1, 1, ConvertHardSigmoid},
    {kOnnx, "HardSwish", 14, 1, 1, 1, ConvertHardSwish},
    {kOnnx, "Hardmax", 1, 1, 1, 1, ConvertHardmax},
    {kOnnx, "Identity", 1, 1, 1, 1, ConvertAs<Op::kIdentity>},
    {kOnnx, "InstanceNormalization", 6, 3, 3, 1, ConvertInstanceNormalization},
    {kOnnx, "IsInf", 10, 1, 1, 1, ConvertIsInf},
    {kOnnx, "IsNaN", 9, 1, 1, 1, ConvertIsNaN},
    {kOnnx, "LRN", 1, 1, 1, 1, ConvertLRN},
    {kOnnx, "LayerNormalization", 17, 2, 3, 3, ConvertLayerNormalization},
    {kOnnx, "LeakyRelu", 6, 1, 1, 1, ConvertLeakyRelu},
    {kOnnx, "Less", 7, 2, 2, 1, ConvertAs<Op::kLess>},
    {kOnnx, "LessOrEqual", 12, 2, 2, 1, ConvertAs<Op::kLessEqual>},
    {kOnnx, "Log", 6, 1, 1, 1, ConvertAs<Op::kLog>},
    {kOnnx, "LogSoftmax", 1, 1, 1, 1, ConvertLogSoftmax},
    {kOnnx, "MatMul", 1, 2, 2, 1, ConvertAs<Op::kMatMul>},
    {kOnnx, "Max", 8, 1, kMany, 1, ConvertChain<Op::kMax>},
    {kOnnx, "MaxPool", 1, 1, 1, 1, ConvertMaxPool},
    {kOnnx, "Mean", 8, 1, kMany, 1, ConvertMean},
    {kOnnx, "MeanVarianceNormalization", 9, 1, 1, 1, ConvertMeanVarianceNormalization},
    {kOnnx, "Min", 8, 1, kMany, 1, ConvertChain<Op::kMin>},
    {kOnnx, "Mish", 18, 1, 1, 1, ConvertMish},
    {kOnnx, "Mod", 10, 2, 2, 1, ConvertMod},
    {kOnnx, "Mul", 7, 2, 2, 1, ConvertAs<Op::kMul>},
    {kOnnx, "Neg", 6, 1, 1, 1, ConvertNeg},
    {kOnnx, "Not", 1, 1, 1, 1, ConvertAs<Op::kNot>},
    {kOnnx, "OneHot", 9, 3, 3, 1, ConvertOneHot},
    {kOnnx, "Or", 7, 2, 2, 1, ConvertAs<Op::kOr>},
    {kOnnx, "PRelu", 7, 2, 2, 1, ConvertPRelu},
    {kOnnx, "Pad", 2, 1, 4, 1, ConvertPad},
    {kOnnx, "Pow", 7, 2, 2, 1, ConvertPow},
    {kOnnx, "QLinearConv", 10, 8, 9, 1, ConvertQLinearConv},
    {kOnnx, "QLinearMatMul", 10, 8, 8, 1, ConvertQLinearMatMul},
    {kOnnx, "QuantizeLinear", 10, 2, 3, 1, ConvertQuantizeLinear},
    {kOnnx, "Range", 11, 3, 3, 1, ConvertRange},
    {kOnnx, "Reciprocal", 6, 1, 1, 1, ConvertReciprocal},
    {kOnnx, "ReduceL1", 1, 1, 2, 1, ConvertReduceL1},
    {kOnnx, "ReduceL2", 1, 1, 2, 1, ConvertReduceL2},
    {kOnnx, "ReduceLogSum", 1, 1, 2, 1, ConvertReduceLogSum},
    {kOnnx, "ReduceLogSumExp", 1, 1, 2, 1, ConvertReduceLogSumExp},
    {kOnnx, "ReduceMax", 1, 1, 2, 1, ConvertReduceMax},
    {kOnnx, "ReduceMean", 1, 1, 2, 1, ConvertReduceMean},
    {kOnnx, "ReduceMin", 1, 1, 2, 1, ConvertReduceMin},
    {kOnnx, "ReduceSum", 1, 1, 2, 1, ConvertReduceSum},
    {kOnnx, "ReduceSumSquare", 1, 1, 2, 1, ConvertReduceSumSquare},
    {kOnnx, "Relu", 6, 1, 1, 1, ConvertAs<Op::kRelu>},
    {kOnnx, "Reshape", 5, 2, 2, 1, ConvertReshape},
    {kOnnx, "Resize", 10, 2, 4, 1, ConvertResize},
    {kOnnx, "Round", 11, 1, 1, 1, ConvertAs<Op::kRound>},
    {kOnnx, "Selu", 6, 1, 1, 1, ConvertSelu},
    {kOnnx, "Shape", 1, 1, 1, 1, ConvertShape},
    {kOnnx, "Shrink", 9, 1, 1, 1, ConvertShrink},
    {kOnnx, "Sigmoid", 6, 1, 1, 1, ConvertAs<Op::kSigmoid>},
    {kOnnx, "Sign", 9, 1, 1, 1, ConvertAs<Op::kSign>},
    {kOnnx, "Size", 1, 1, 1, 1, ConvertSize},
    {kOnnx, "Slice", 1, 1, 5, 1, ConvertSlice},
    {kOnnx, "Softmax", 1, 1, 1, 1, ConvertSoftmax},
    {kOnnx, "Softplus", 1, 1, 1, 1, ConvertSoftplus},
    {kOnnx, "Softsign", 1, 1, 1, 1, ConvertSoftsign},
    {kOnnx, "SpaceToDepth", 1, 1, 1, 1, ConvertSpaceToDepth},
    {kOnnx, "Split", 2, 1, 2, kMany, ConvertSplit},
    {kOnnx, "Sqrt", 6, 1, 1, 1, ConvertAs<Op::kSqrt>},
    {kOnnx, "Squeeze", 1, 1, 2, 1, ConvertSqueeze},
    {kOnnx, "Sub", 7, 2, 2, 1, ConvertAs<Op::kSub>},
    {kOnnx, "Sum", 8, 1, kMany, 1, ConvertChain<Op::kAdd>},
    {kOnnx, "Swish", 24, 1, 1, 1, ConvertSwish},
    {kOnnx, "Tanh", 6, 1, 1, 1, ConvertAs<Op::kTanh>},
    {kOnnx, "ThresholdedRelu", 10, 1, 1, 1, ConvertThresholdedRelu},
    {kOnnx, "Tile", 6, 2, 2, 1, ConvertTile},
    {kOnnx, "TopK", 1, 1, 2, 2, ConvertTopK},
    {kOnnx, "Transpose", 1, 1, 1, 1, ConvertTranspose},
    {kOnnx, "Trilu", 14, 1, 2, 1, ConvertTrilu},
    {kOnnx, "Unsqueeze", 1, 1, 2, 1, ConvertUnsqueeze},
    {kOnnx, "Upsample", 7, 1, 2, 1, ConvertUpsample},
    {kOnnx, "Where", 9, 3, 3, 1, ConvertAs<Op::kWhere>},
    {kOnnx, "Xor", 7, 2, 2, 1, ConvertXor},
    {kMicrosoft, "DequantizeLinear", 1, 2, 3, 1, ConvertDequantizeLinear},
    {kMicrosoft, "Gelu", 1, 1, 1, 1, ConvertGelu},
    {kMicrosoft, "QGemm", 1, 6, 9, 1, ConvertQGemm},
    {kMicrosoft, "QLinearAdd", 1, 7, 8, 1, ConvertQLinearAdd},
    {kMicrosoft, "QLinearAveragePool", 1, 4, 5, 1, ConvertQLinearAveragePool},
    {kMicrosoft, "QLinearConcat", 1, 5, kMany, 1, ConvertQLinearConcat},
    {kMicrosoft, "QLinearConv", 1, 8, 9, 1, ConvertQLinearConv},
    {kMicrosoft, "QLinearGlobalAveragePool", 1, 5, 5, 1, ConvertQLinearGlobalAveragePool},
    {kMicrosoft, "QLinearLeakyRelu", 1, 4, 5, 1, ConvertQLinearLeakyRelu},
    {kMicrosoft, "QLinearMul", 1, 7, 8, 1, ConvertQLinearMul},
    {kMicrosoft, "QLinearReduceMean", 1, 4, 5, 1, ConvertQLinearReduceMean},
    {kMicrosoft, "QLinearSigmoid", 1, 4, 5, 1, ConvertQLinearSigmoid},
    {kMicrosoft, "QLinearSoftmax", 1, 5, 5, 1, ConvertQLinearSoftmax},
    {kMicrosoft, "QLinearWhere", 1, 9, 9, 1, ConvertQLinearWhere},
    {kMicrosoft, "QuantizeLinear", 1, 2, 3, 1, ConvertQuantizeLinear},
};

}  // namespace

const OnnxOperator* FindOnnxOperator(std::string_view domain, std::string_view type) {
  for (const OnnxOperator& row : kOperators) {
    if (row.domain == domain && row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace vta::compiler
