#include "compiler/frontend/tflite/operators.h"

#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

using Code = tflite_schema::BuiltinOperator;
constexpr int kMany = 1 << 20;

/// One op of the graph on all of the inputs, as real numbers.
template <Op op>
void ConvertAs(TfliteNode& node) {
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.Real(i));
  node.Result(node.Emit(op, inputs));
}

constexpr int operator+(Code code) { return static_cast<int>(code); }

// Operator, inputs (least, most), outputs (most), converter.
constexpr TfliteOperator kOperators[] = {
    {+Code::ABS, 1, 1, 1, ConvertAs<Op::kAbs>},
    {+Code::ADD, 2, 2, 1, ConvertAdd},
    {+Code::ADD_N, 1, kMany, 1, ConvertAddN},
    {+Code::ARG_MAX, 2, 2, 1, ConvertArgMax},
    {+Code::ARG_MIN, 2, 2, 1, ConvertArgMin},
    {+Code::AVERAGE_POOL_2D, 1, 1, 1, ConvertAveragePool2d},
    {+Code::BATCH_MATMUL, 2, 2, 1, ConvertBatchMatMul},
    {+Code::BATCH_TO_SPACE_ND, 3, 3, 1, ConvertBatchToSpaceNd},
    {+Code::BROADCAST_TO, 2, 2, 1, ConvertBroadcastTo},
    {+Code::CAST, 1, 1, 1, ConvertCast},
    {+Code::CEIL, 1, 1, 1, ConvertCeil},
    {+Code::COMPLEX_ABS, 1, 1, 1, ConvertComplexAbs},
    {+Code::CONCATENATION, 1, kMany, 1, ConvertConcatenation},
    {+Code::CONV_2D, 2, 3, 1, ConvertConv2d},
    {+Code::COS, 1, 1, 1, ConvertAs<Op::kCos>},
    {+Code::CUMSUM, 2, 2, 1, ConvertCumsum},
    {+Code::DENSIFY, 1, 1, 1, ConvertDensify},
    {+Code::DEPTHWISE_CONV_2D, 2, 3, 1, ConvertDepthwiseConv2d},
    {+Code::DEPTH_TO_SPACE, 1, 1, 1, ConvertDepthToSpace},
    {+Code::DEQUANTIZE, 1, 1, 1, ConvertDequantize},
    {+Code::DIV, 2, 2, 1, ConvertDiv},
    {+Code::ELU, 1, 1, 1, ConvertElu},
    {+Code::EQUAL, 2, 2, 1, ConvertAs<Op::kEqual>},
    {+Code::EXP, 1, 1, 1, ConvertAs<Op::kExp>},
    {+Code::EXPAND_DIMS, 2, 2, 1, ConvertExpandDims, "", true},
    {+Code::FILL, 2, 2, 1, ConvertFill},
    {+Code::FLOOR, 1, 1, 1, ConvertAs<Op::kFloor>},
    {+Code::FLOOR_DIV, 2, 2, 1, ConvertFloorDiv},
    {+Code::FLOOR_MOD, 2, 2, 1, ConvertFloorMod},
    {+Code::FULLY_CONNECTED, 2, 3, 1, ConvertFullyConnected},
    {+Code::GATHER, 2, 2, 1, ConvertGather},
    {+Code::GATHER_ND, 2, 2, 1, ConvertGatherNd},
    {+Code::GELU, 1, 1, 1, ConvertGelu},
    {+Code::GREATER, 2, 2, 1, ConvertGreater},
    {+Code::GREATER_EQUAL, 2, 2, 1, ConvertGreaterEqual},
    {+Code::HARD_SWISH, 1, 1, 1, ConvertHardSwish},
    {+Code::IMAG, 1, 1, 1, ConvertImaginaryPart},
    {+Code::L2_NORMALIZATION, 1, 1, 1, ConvertL2Normalization},
    {+Code::LEAKY_RELU, 1, 1, 1, ConvertLeakyRelu},
    {+Code::LESS, 2, 2, 1, ConvertAs<Op::kLess>},
    {+Code::LESS_EQUAL, 2, 2, 1, ConvertAs<Op::kLessEqual>},
    {+Code::LOG, 1, 1, 1, ConvertAs<Op::kLog>},
    {+Code::LOGICAL_AND, 2, 2, 1, ConvertAs<Op::kAnd>},
    {+Code::LOGICAL_NOT, 1, 1, 1, ConvertAs<Op::kNot>},
    {+Code::LOGICAL_OR, 2, 2, 1, ConvertAs<Op::kOr>},
    {+Code::LOGISTIC, 1, 1, 1, ConvertLogistic},
    {+Code::LOG_SOFTMAX, 1, 1, 1, ConvertLogSoftmax},
    {+Code::MAXIMUM, 2, 2, 1, ConvertAs<Op::kMax>},
    {+Code::MAX_POOL_2D, 1, 1, 1, ConvertMaxPool2d},
    {+Code::MEAN, 2, 2, 1, ConvertMean},
    {+Code::MINIMUM, 2, 2, 1, ConvertAs<Op::kMin>},
    {+Code::MIRROR_PAD, 2, 2, 1, ConvertMirrorPad},
    {+Code::MUL, 2, 2, 1, ConvertMul},
    {+Code::NEG, 1, 1, 1, ConvertNeg},
    {+Code::NOT_EQUAL, 2, 2, 1, ConvertNotEqual},
    {+Code::ONE_HOT, 4, 4, 1, ConvertOneHot},
    {+Code::PACK, 1, kMany, 1, ConvertPack},
    {+Code::PAD, 2, 2, 1, ConvertPad},
    {+Code::PADV2, 3, 3, 1, ConvertPadV2},
    {+Code::POW, 2, 2, 1, ConvertAs<Op::kPow>},
    {+Code::PRELU, 2, 2, 1, ConvertPRelu},
    {+Code::QUANTIZE, 1, 1, 1, ConvertQuantize},
    {+Code::RANGE, 3, 3, 1, ConvertRange},
    {+Code::RANK, 1, 1, 1, ConvertRank},
    {+Code::REAL, 1, 1, 1, ConvertRealPart},
    {+Code::REDUCE_ALL, 2, 2, 1, ConvertReduceAll},
    {+Code::REDUCE_ANY, 2, 2, 1, ConvertReduceAny},
    {+Code::REDUCE_MAX, 2, 2, 1, ConvertReduceMax},
    {+Code::REDUCE_MIN, 2, 2, 1, ConvertReduceMin},
    {+Code::REDUCE_PROD, 2, 2, 1, ConvertReduceProd},
    {+Code::RELU, 1, 1, 1, ConvertAs<Op::kRelu>},
    {+Code::RELU6, 1, 1, 1, ConvertRelu6},
    {+Code::RELU_0_TO_1, 1, 1, 1, ConvertRelu0To1},
    {+Code::RELU_N1_TO_1, 1, 1, 1, ConvertReluN1To1},
    {+Code::RESHAPE, 1, 2, 1, ConvertReshape, "", true},
    {+Code::RESIZE_BILINEAR, 2, 2, 1, ConvertResizeBilinear},
    {+Code::RESIZE_NEAREST_NEIGHBOR, 2, 2, 1, ConvertResizeNearestNeighbor},
    {+Code::REVERSE_V2, 2, 2, 1, ConvertReverseV2},
    {+Code::RFFT2D, 2, 2, 1, ConvertRfft2d},
    {+Code::ROUND, 1, 1, 1, ConvertAs<Op::kRound>},
    {+Code::RSQRT, 1, 1, 1, ConvertRsqrt},
    {+Code::SELECT, 3, 3, 1, ConvertSelect},
    {+Code::SELECT_V2, 3, 3, 1, ConvertAs<Op::kWhere>},
    {+Code::SHAPE, 1, 1, 1, ConvertShape},
    {+Code::SIGN, 1, 1, 1, ConvertAs<Op::kSign>},
    {+Code::SIN, 1, 1, 1, ConvertAs<Op::kSin>},
    {+Code::SLICE, 3, 3, 1, ConvertSlice, "", true},
    {+Code::SOFTMAX, 1, 1, 1, ConvertSoftmax},
    {+Code::SPACE_TO_BATCH_ND, 3, 3, 1, ConvertSpaceToBatchNd},
    {+Code::SPACE_TO_DEPTH, 1, 1, 1, ConvertSpaceToDepth},
    {+Code::SPLIT, 2, 2, kMany, ConvertSplit},
    {+Code::SPLIT_V, 3, 3, kMany, ConvertSplitV},
    {+Code::SQRT, 1, 1, 1, ConvertAs<Op::kSqrt>},
    {+Code::SQUARE, 1, 1, 1, ConvertSquare},
    {+Code::SQUARED_DIFFERENCE, 2, 2, 1, ConvertSquaredDifference},
    {+Code::SQUEEZE, 1, 1, 1, ConvertSqueeze, "", true},
    {+Code::STRIDED_SLICE, 4, 4, 1, ConvertStridedSlice, "", true},
    {+Code::SUB, 2, 2, 1, ConvertSub},
    {+Code::SUM, 2, 2, 1, ConvertSum},
    {+Code::TANH, 1, 1, 1, ConvertTanh},
    {+Code::TILE, 2, 2, 1, ConvertTile},
    {+Code::TOPK_V2, 2, 2, 2, ConvertTopK},
    {+Code::TRANSPOSE, 2, 2, 1, ConvertTranspose, "", true},
    {+Code::TRANSPOSE_CONV, 3, 4, 1, ConvertTransposeConv},
    {+Code::UNIDIRECTIONAL_SEQUENCE_LSTM, 20, 24, 1, ConvertSequenceLstm},
    {+Code::UNPACK, 1, 1, kMany, ConvertUnpack},
    {+Code::ZEROS_LIKE, 1, 1, 1, ConvertZerosLike},
    {+Code::CUSTOM, 3, 3, 1, ConvertTransposeConvBias, "Convolution2DTransposeBias"},
};

}  // namespace

const TfliteOperator* FindTfliteOperator(int code, std::string_view custom) {
  for (const TfliteOperator& row : kOperators)
    if (row.code == code && row.custom == custom) return &row;
  return nullptr;
}

}  // namespace vta::compiler
