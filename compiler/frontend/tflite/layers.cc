// Converters of convolutions and of fully connected layers.
#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/sixteen.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// A convolution with weights [KH,KW] for the graph in the order `perm` of their axes.
template <typename T>
void Convolve(TfliteNode& node, const T& options, const std::vector<int64_t>& perm,
              int64_t groups) {
  const Shape x = node.InputShape(0), w = node.InputShape(1);
  const TfliteWindow window =
      PlaceWindow(node, x, {w[1], w[2]}, {options.stride_h(), options.stride_w()},
                  {options.dilation_h_factor(), options.dilation_w_factor()},
                  static_cast<int>(options.padding()));
  if (OfSixteenBits(node)) {
    const int activation = static_cast<int>(options.fused_activation_function());
    perm == kToChannelsFirst ? ConvolveSixteen(node, window, groups, activation)
                             : ConvolveDepthwiseSixteen(node, window, activation);
    return;
  }
  Attributes attributes = window.attributes();
  attributes.Set("groups", groups);
  std::vector<ValueId> operands = {node.Real(0, kToChannelsFirst), node.Real(1, perm)};
  AddBias(node, {}, node.type(operands[1]).shape[0], operands);
  const ValueId y = Activate(node, node.Emit(Op::kConv2d, operands, attributes),
                             static_cast<int>(options.fused_activation_function()));
  node.Result(node.Emit(Op::kTranspose, {y}, {{"perm", kToChannelsLast}}));
}

}  // namespace

void ConvertConv2d(TfliteNode& node) {
  RequireRank(node, 0, 4, "input shape", "[N,H,W,C]");
  RequireRank(node, 1, 4, "weight shape", "[OC,KH,KW,C/groups]");
  const int64_t channels = node.InputShape(0)[3], each = node.InputShape(1)[3];
  if (channels % each != 0)
    throw node.Fail("weight shape", ToText(node.InputShape(1)),
                    StrCat("its last size must divide the input's ", Counted(channels, "channel")));
  Convolve(node, node.Options<schema::Conv2DOptions>(), kToChannelsFirst, channels / each);
}

/// Each channel of the input has its own weights, for one channel of the output or several.
void ConvertDepthwiseConv2d(TfliteNode& node) {
  RequireRank(node, 0, 4, "input shape", "[N,H,W,C]");
  RequireRank(node, 1, 4, "weight shape", "[1,KH,KW,OC]");
  const auto& options = node.Options<schema::DepthwiseConv2DOptions>();
  const int64_t channels = node.InputShape(0)[3], multiplier = options.depth_multiplier();
  const Shape w = node.InputShape(1);
  if (w[0] != 1 || w[3] % channels != 0 || (multiplier != 0 && w[3] / channels != multiplier))
    throw node.Fail("weight shape", ToText(w),
                    StrCat("must be [1,KH,KW,", channels, " x depth_multiplier ", multiplier, "]"));
  Convolve(node, options, {3, 0, 1, 2}, channels);
}

void ConvertFullyConnected(TfliteNode& node) {
  const auto& options = node.Options<schema::FullyConnectedOptions>();
  if (options.weights_format() != schema::WeightsFormat::DEFAULT)
    throw node.Fail("weights_format", StrCat(static_cast<int>(options.weights_format())),
                    "must be 0: shuffled weights are not supported");
  RequireRank(node, 1, 2, "weight shape", "[units,depth]");
  const Shape x = node.InputShape(0), w = node.InputShape(1);
  const bool keeps = options.keep_num_dims();
  if (Elements(x) % w[1] != 0 || (keeps && (x.empty() || x.back() != w[1])))
    throw node.Fail("input shape", ToText(x), StrCat("must end in the weights' depth, ", w[1]));
  Shape shape = {Elements(x) / w[1], w[0]};
  if (keeps) {
    shape = x;
    shape.back() = w[0];
  }
  const int activation = static_cast<int>(options.fused_activation_function());
  if (OfSixteenBits(node)) return FullyConnectSixteen(node, shape, activation);
  std::vector<ValueId> operands = {node.Reshape(node.Real(0), {Elements(x) / w[1], w[1]}),
                                   node.Real(1)};
  AddBias(node, {}, w[0], operands);
  const ValueId y =
      node.Emit(Op::kGemm, operands,
                {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
  node.Result(node.Reshape(Activate(node, y, activation), shape));
}

void ConvertBatchMatMul(TfliteNode& node) {
  const auto& options = node.Options<schema::BatchMatMulOptions>();
  const auto operand = [&](int64_t input, bool turned) {
    std::vector<int64_t> perm;
    for (int64_t i = 0; i < node.Rank(input); ++i) perm.push_back(i);
    if (perm.size() < 2)
      throw node.Fail(StrCat("input ", input), ToText(node.InputShape(input)),
                      "must have two dimensions or more");
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return node.Real(input, turned ? perm : std::vector<int64_t>());
  };
  const ValueId a = operand(0, options.adj_x());
  node.Result(node.Emit(Op::kMatMul, {a, operand(1, options.adj_y())}));
}

}  // namespace vta::compiler
