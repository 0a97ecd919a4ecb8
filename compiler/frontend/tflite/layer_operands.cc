#include "compiler/frontend/tflite/layer_operands.h"

#include <algorithm>
#include <cmath>

#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

/// Int32 codes of a bias count in steps of input scale x weight scale, whatever their own scale:
/// the kernels add them to the products.
TfliteScales SumScales(TfliteNode& node, const TfliteLayerInputs& inputs, int64_t channels) {
  const auto x = node.InputScales(inputs.x), w = node.InputScales(inputs.w);
  const bool codes =
      node.Type(inputs.x).dtype != DType::kFloat32 && node.Type(inputs.w).dtype != DType::kFloat32;
  if (!codes || !x || !w || !x->PerTensor())
    throw node.Fail("bias type", "int32",
                    "must be float32 where input or weights have no scale of their own");
  TfliteScales sum{w->scales, {}, 0};
  for (float& scale : sum.scales) {
    scale *= x->scales[0];
    if (!std::isfinite(scale) || scale <= 0)
      throw node.Fail("input scale x weight scale", StrCat(double{scale}),
                      "must be positive and finite");
  }
  sum.zero_points.assign(sum.scales.size(), 0);
  if (!sum.PerTensor() && std::ssize(sum.scales) != channels)
    throw node.Fail("weight scales", StrCat(sum.scales.size()),
                    StrCat("must be one, or one for each of ", Counted(channels, "channel")));
  return sum;
}

/// Its own scale says the same, or the file means something else.
void CheckBiasScales(TfliteNode& node, int64_t bias, const TfliteScales& sum) {
  constexpr float kSame = 1e-3f;
  const auto own = node.InputScales(bias);
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

}  // namespace

void AddBias(TfliteNode& node, const TfliteLayerInputs& inputs, int64_t channels,
             std::vector<ValueId>& operands) {
  if (!node.Has(inputs.bias)) return;
  if (Elements(node.InputShape(inputs.bias)) != channels)
    throw node.Fail("bias shape", ToText(node.InputShape(inputs.bias)),
                    StrCat("must be [", channels, "]"));
  ValueId bias = node.Reshape(node.Stored(inputs.bias), {channels});
  if (node.Type(inputs.bias).dtype == DType::kInt32) {
    const TfliteScales sum = SumScales(node, inputs, channels);
    CheckBiasScales(node, inputs.bias, sum);
    bias = node.Dequantize(bias, sum);
  } else if (node.Type(inputs.bias).dtype != DType::kFloat32) {
    throw node.Fail("bias type", std::string(Name(node.Type(inputs.bias).dtype)),
                    "must be int32 or float32");
  }
  operands.push_back(bias);
}

void RequireRank(TfliteNode& node, int64_t input, int64_t rank, const char* what,
                 const char* layout) {
  if (node.Rank(input) != rank)
    throw node.Fail(what, ToText(node.InputShape(input)), StrCat("must be ", layout));
}

}  // namespace vta::compiler
