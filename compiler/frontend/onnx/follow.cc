#include "compiler/frontend/onnx/follow.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/frontend/onnx/sized_node.h"

namespace vta::compiler {
namespace {

struct Row {
  std::string_view type;
  SizeRule rule;
};

constexpr Row kRows[] = {
    {"Abs", FollowSame},
    {"Acos", FollowSame},
    {"Acosh", FollowSame},
    {"Add", FollowElementwise},
    {"And", FollowElementwise},
    {"ArgMax", FollowReduce},
    {"ArgMin", FollowReduce},
    {"Asin", FollowSame},
    {"Asinh", FollowSame},
    {"Atan", FollowSame},
    {"Atanh", FollowSame},
    {"AveragePool", FollowPool},
    {"BatchNormalization", FollowChannelNorm},
    {"BipolarQuant", FollowSame},
    {"Cast", FollowSame},
    {"CastLike", FollowSame},
    {"Ceil", FollowSame},
    {"Celu", FollowSame},
    {"Clip", FollowSame},
    {"Concat", FollowConcat},
    {"Constant", FollowConstant},
    {"Conv", FollowConv},
    {"ConvInteger", FollowConv},
    {"ConvTranspose", FollowConvTranspose},
    {"Cos", FollowSame},
    {"Cosh", FollowSame},
    {"CumSum", FollowSame},
    {"DequantizeLinear", FollowSame},
    {"Div", FollowElementwise},
    {"Dropout", FollowSame},
    {"DynamicQuantizeLinear", FollowSame},
    {"DynamicQuantizeMatMul", FollowMatMul},
    {"Elu", FollowSame},
    {"Equal", FollowElementwise},
    {"Erf", FollowSame},
    {"Exp", FollowSame},
    {"Flatten", FollowFlatten},
    {"FloatQuant", FollowSame},
    {"Floor", FollowSame},
    {"GRU", FollowRecurrent},
    {"Gather", FollowGather},
    {"Gelu", FollowSame},
    {"Gemm", FollowGemm},
    {"GlobalAveragePool", FollowGlobalPool},
    {"GlobalLpPool", FollowGlobalPool},
    {"GlobalMaxPool", FollowGlobalPool},
    {"Greater", FollowElementwise},
    {"GreaterOrEqual", FollowElementwise},
    {"GroupNormalization", FollowSame},
    {"HardSigmoid", FollowSame},
    {"HardSwish", FollowSame},
    {"Hardmax", FollowSame},
    {"Identity", FollowSame},
    {"InstanceNormalization", FollowChannelNorm},
    {"IntQuant", FollowSame},
    {"IsInf", FollowSame},
    {"IsNaN", FollowSame},
    {"LRN", FollowSame},
    {"LSTM", FollowRecurrent},
    {"LayerNormalization", FollowLastNorm},
    {"LeakyRelu", FollowSame},
    {"Less", FollowElementwise},
    {"LessOrEqual", FollowElementwise},
    {"Log", FollowSame},
    {"LogSoftmax", FollowSame},
    {"LpNormalization", FollowSame},
    {"LpPool", FollowPool},
    {"MatMul", FollowMatMul},
    {"MatMulInteger", FollowMatMul},
    {"MatMulIntegerToFloat", FollowMatMul},
    {"Max", FollowElementwise},
    {"MaxPool", FollowPool},
    {"Mean", FollowElementwise},
    {"MeanVarianceNormalization", FollowSame},
    {"Min", FollowElementwise},
    {"Mish", FollowSame},
    {"Mod", FollowElementwise},
    {"Mul", FollowElementwise},
    {"Neg", FollowSame},
    {"Not", FollowSame},
    {"Or", FollowElementwise},
    {"PRelu", FollowElementwise},
    {"Pad", FollowPad},
    {"Pow", FollowElementwise},
    {"QLinearConv", FollowQLinearConv},
    {"QLinearMatMul", FollowQLinearMatMul},
    {"Quant", FollowSame},
    {"QuantizeLinear", FollowSame},
    {"RMSNormalization", FollowLastNorm},
    {"RNN", FollowRecurrent},
    {"Reciprocal", FollowSame},
    {"ReduceL1", FollowReduce},
    {"ReduceL2", FollowReduce},
    {"ReduceLogSum", FollowReduce},
    {"ReduceLogSumExp", FollowReduce},
    {"ReduceMax", FollowReduce},
    {"ReduceMean", FollowReduce},
    {"ReduceMin", FollowReduce},
    {"ReduceProd", FollowReduce},
    {"ReduceSum", FollowReduce},
    {"ReduceSumSquare", FollowReduce},
    {"Relu", FollowSame},
    {"Reshape", FollowReshape},
    {"Resize", FollowResize},
    {"Round", FollowSame},
    {"Selu", FollowSame},
    {"Shrink", FollowSame},
    {"Sigmoid", FollowSame},
    {"Sign", FollowSame},
    {"SimplifiedLayerNormalization", FollowLastNorm},
    {"Sin", FollowSame},
    {"Sinh", FollowSame},
    {"Slice", FollowSlice},
    {"Softmax", FollowSame},
    {"Softplus", FollowSame},
    {"Softsign", FollowSame},
    {"Split", FollowSplit},
    {"Sqrt", FollowSame},
    {"Squeeze", FollowSqueeze},
    {"Sub", FollowElementwise},
    {"Sum", FollowElementwise},
    {"Swish", FollowSame},
    {"Tan", FollowSame},
    {"Tanh", FollowSame},
    {"ThresholdedRelu", FollowSame},
    {"Transpose", FollowTranspose},
    {"Trilu", FollowSame},
    {"Unsqueeze", FollowUnsqueeze},
    {"Upsample", FollowResize},
    {"Where", FollowElementwise},
    {"Xor", FollowElementwise},
};

void FollowOutput(const onnx::ValueInfoProto& output, SizedGraph& graph) {
  const auto made = graph.shapes.find(output.name());
  const auto& declared = output.type().tensor_type().shape();
  if (made == graph.shapes.end() || declared.dim_size() != std::ssize(made->second)) return;
  for (int i = 0; i < declared.dim_size(); ++i)
    if (const int64_t size = declared.dim(i).dim_value(); size > 0)
      graph.sizes.Equal(made->second[i], size);
}

}  // namespace

void FollowOnnxSizes(const onnx::GraphProto& proto, const OnnxNames& constants,
                     std::map<std::string, Shape> inputs, Sizes& sizes) {
  SizedGraph graph{constants, std::move(inputs), {}, sizes};
  for (const onnx::NodeProto& node : proto.node()) {
    const Row* const row = std::ranges::find(kRows, node.op_type(), &Row::type);
    if (row == std::end(kRows)) continue;
    SizedNode sized(node, graph);
    row->rule(sized);
  }
  for (const onnx::ValueInfoProto& output : proto.output()) FollowOutput(output, graph);
}

}  // namespace vta::compiler
