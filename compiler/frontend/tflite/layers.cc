// Converters of convolutions and of fully connected layers.
#include <algorithm>
#include <cmath>

#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// Int32 codes of a bias count in steps of input scale x weight scale, whatever their own scale:
/// the kernels add them to the products.
TfliteScales SumScales(TfliteNode& node, int64_t channels) {
  const auto x = node.InputScales(0), w = node.InputScales(1);
  const bool codes = node.Type(0).dtype != DType::kFloat32 && node.Type(1).dtype != DType::kFloat32;
  if (!codes || !x || !w || !x->PerTensor())
    throw node.Fail("bias type", "int32",
                    "must be float32 where input or weights have no scale of their own");
  TfliteScales sum{w->scales, {}, 0};
  for (float& scale : sum.scales) scale *= x->scales[0];
  sum.zero_points.assign(sum.scales.size(), 0);
  if (!sum.PerTensor() && std::ssize(sum.scales) != channels)
    throw node.Fail("weight scales", StrCat(sum.scales.size()),
                    StrCat("must be one, or one for each of ", channels, " channels"));
  return sum;
}

/// Its own scale says the same, or the file means something else.
void CheckBiasScales(TfliteNode& node, const TfliteScales& sum) {
  constexpr float kSame = 1e-3f;
  const auto own = node.InputScales(2);
  if (!own) return;
  for (size_t i = 0; i < own->scales.size(); ++i) {
    const float expected = sum.scales[sum.PerTensor() ? 0 : std::min(i, sum.scales.size() - 1)];
    const bool one_of_many = own->PerTensor() && !sum.PerTensor();
    if (!one_of_many && std::abs(own->scales[i] / expected - 1) > kSame)
      throw node.Fail("bias scale", StrCat(double{own->scales[i]}),
                      StrCat("must be input scale x weight scale, ", double{expected}));
    if (own->zero_points[i] != 0)
      throw node.Fail("bias zero point", StrCat(own->zero_points[i]), "must be 0");
  }
}

/// Adds input 2 to the operands of a layer, if it is given.
void AddBias(TfliteNode& node, int64_t channels, std::vector<ValueId>& operands) {
  if (!node.Has(2)) return;
  if (Elements(node.InputShape(2)) != channels)
    throw node.Fail("bias shape", ToText(node.InputShape(2)), StrCat("must be [", channels, "]"));
  ValueId bias = node.Reshape(node.Stored(2), {channels});
  if (node.Type(2).dtype == DType::kInt32) {
    const TfliteScales sum = SumScales(node, channels);
    CheckBiasScales(node, sum);
    bias = node.Dequantize(bias, sum);
  } else if (node.Type(2).dtype != DType::kFloat32) {
    throw node.Fail("bias type", std::string(Name(node.Type(2).dtype)), "must be int32 or float32");
  }
  operands.push_back(bias);
}

void RequireRank(TfliteNode& node, int64_t input, int64_t rank, const char* what,
                 const char* layout) {
  if (node.Rank(input) != rank)
    throw node.Fail(what, ToText(node.InputShape(input)), StrCat("must be ", layout));
}

/// A convolution with weights [KH,KW] for the graph in the order `perm` of their axes.
template <typename T>
void Convolve(TfliteNode& node, const T& options, const std::vector<int64_t>& perm,
              int64_t groups) {
  const Shape x = node.InputShape(0), w = node.InputShape(1);
  const TfliteWindow window =
      PlaceWindow(node, x, {w[1], w[2]}, {options.stride_h(), options.stride_w()},
                  {options.dilation_h_factor(), options.dilation_w_factor()},
                  static_cast<int>(options.padding()));
  Attributes attributes = window.attributes();
  attributes.Set("groups", groups);
  std::vector<ValueId> operands = {node.Real(0, kToChannelsFirst), node.Real(1, perm)};
  AddBias(node, node.type(operands[1]).shape[0], operands);
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
                    StrCat("its last size must divide the input's ", channels, " channels"));
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
  std::vector<ValueId> operands = {node.Reshape(node.Real(0), {Elements(x) / w[1], w[1]}),
                                   node.Real(1)};
  AddBias(node, w[0], operands);
  const ValueId y =
      node.Emit(Op::kGemm, operands,
                {{"alpha", 1.0}, {"beta", 1.0}, {"trans_a", int64_t{0}}, {"trans_b", int64_t{1}}});
  Shape shape = node.type(y).shape;
  if (keeps) {
    shape = x;
    shape.back() = w[0];
  }
  const int activation = static_cast<int>(options.fused_activation_function());
  node.Result(node.Reshape(Activate(node, y, activation), shape));
}

}  // namespace vta::compiler
