// Converter of transposed convolutions.
#include <algorithm>
#include <cstring>

#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"
#include "compiler/frontend/transposed_conv.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// x [N,H,W,C] by weights [OC,KH,KW,C], to outputs of these heights and widths, of which so many
/// before the first are left out. Shape: result [N,OC,H,W].
struct Transposed {
  TfliteLayerInputs inputs;
  std::vector<int64_t> strides, before, sizes;
};

void RequireStrides(TfliteNode& node, const std::vector<int64_t>& strides, const Shape& x) {
  if (std::ranges::min(strides) < 1)
    throw node.Fail("strides", ToText(strides), "must be at least 1");
  for (size_t i = 0; i < 2; ++i)
    if (!CheckedElements({x[1 + i], strides[i]}))
      throw node.Fail("strides", ToText(strides), StrCat("are too large for ", ToText(x)));
}

ValueId EmitTransposed(TfliteNode& node, const Transposed& t) {
  const Shape w = node.InputShape(t.inputs.w), x = node.InputShape(t.inputs.x);
  RequireStrides(node, t.strides, x);
  std::vector<TransposedAxis> axes;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = x[1 + i], kernel = w[1 + i], stride = t.strides[i], before = t.before[i];
    const int64_t more = t.sizes[i] + before - (size - 1) * stride - 1;
    if (more < 1 - kernel - stride || more > kernel + stride)
      throw node.Fail("height and width of the output", ToText(t.sizes),
                      StrCat("are not what the strides make of ", ToText(x)));
    axes.push_back({size, kernel, stride, 1, before, t.sizes[i]});
  }
  TransposedConv phases(node, axes, 1);
  std::vector<ValueId> bias;
  AddBias(node, t.inputs, w[0], bias);
  const auto operands =
      phases.Operands(node.Real(t.inputs.x, kToChannelsFirst),
                      node.Real(t.inputs.w, kToChannelsFirst), bias.empty() ? kNone : bias[0]);
  const PhaseAxis &h = phases.window()[0], &v = phases.window()[1];
  const ValueId sums =
      node.Emit(Op::kConv2d, operands,
                {{"strides", std::vector<int64_t>{1, 1}},
                 {"dilations", std::vector<int64_t>{h.dilation, v.dilation}},
                 {"pads", std::vector<int64_t>{h.before, v.before, h.after, v.after}},
                 {"groups", int64_t{1}}});
  return phases.Interleave(sums);
}

}  // namespace

/// Inputs: the output's shape, weights [OC,KH,KW,C], x [N,H,W,C], and a bias if there is one.
void ConvertTransposeConv(TfliteNode& node) {
  const auto& options = node.Options<schema::TransposeConvOptions>();
  const Shape asked = node.ConstantInts(0, "input output_shape");
  RequireRank(node, 1, 4, "weight shape", "[OC,KH,KW,C]");
  RequireRank(node, 2, 4, "input shape", "[N,H,W,C]");
  const Shape w = node.InputShape(1), x = node.InputShape(2);
  if (asked.size() != 4 || !CheckedElements(asked) || asked[0] != x[0] || asked[3] != w[0])
    throw node.Fail("input output_shape", ToText(asked),
                    StrCat("must be [", x[0], ",H,W,", w[0], "]"));
  const std::vector<int64_t> strides = {options.stride_h(), options.stride_w()};
  const TfliteWindow window =
      PlaceWindow(node, asked, {w[1], w[2]}, strides, {1, 1}, static_cast<int>(options.padding()));
  const ValueId y = EmitTransposed(
      node, {{.x = 2, .w = 1, .bias = 3}, strides, window.before, {asked[1], asked[2]}});
  const ValueId active = Activate(node, y, static_cast<int>(options.fused_activation_function()));
  node.Result(node.Emit(Op::kTranspose, {active}, {{"perm", kToChannelsLast}}));
}

/// Of MediaPipe. Inputs: x [N,H,W,C], weights [OC,KH,KW,C], bias. Options: the padding, as a C
/// enum, and the strides of width and height, of 32 bits each. SAME leaves out what the last place
/// of a window would not reach.
void ConvertTransposeConvBias(TfliteNode& node) {
  constexpr int32_t kSame = 1, kValid = 2;
  int32_t options[3];
  if (node.CustomOptions().size() < sizeof options)
    throw node.Fail("options", StrCat(node.CustomOptions().size(), " bytes"), "must be 12 or more");
  std::memcpy(options, node.CustomOptions().data(), sizeof options);
  const auto& [padding, stride_w, stride_h] = options;
  if (padding != kSame && padding != kValid)
    throw node.Fail("padding", StrCat(padding), "must be SAME or VALID");
  RequireRank(node, 0, 4, "input shape", "[N,H,W,C]");
  RequireRank(node, 1, 4, "weight shape", "[OC,KH,KW,C]");
  Transposed t{{.x = 0, .w = 1, .bias = 2}, {stride_h, stride_w}, {0, 0}, {0, 0}};
  const Shape x = node.InputShape(0), w = node.InputShape(1);
  RequireStrides(node, t.strides, x);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t steps = x[1 + i] - 1, kernel = w[1 + i];
    const int64_t left_out =
        padding == kSame ? std::max<int64_t>(kernel - steps % t.strides[i] - 1, 0) : 0;
    t.before[i] = left_out / 2;
    t.sizes[i] = steps * t.strides[i] + kernel - left_out;
  }
  node.Result(node.Emit(Op::kTranspose, {EmitTransposed(node, t)}, {{"perm", kToChannelsLast}}));
}

}  // namespace vta::compiler
