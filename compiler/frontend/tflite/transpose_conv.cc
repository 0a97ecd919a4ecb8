// Converter of transposed convolutions.
#include <algorithm>

#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"
#include "compiler/frontend/transposed_conv.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

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
  std::vector<TransposedAxis> axes;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = x[1 + i], kernel = w[1 + i], stride = strides[i],
                  before = window.before[i];
    if (!CheckedElements({size, stride}))
      throw node.Fail("strides", ToText(strides), StrCat("are too large for ", ToText(x)));
    const int64_t more = asked[1 + i] + before - (size - 1) * stride - 1;
    if (more < 1 - kernel - stride || more > kernel + stride)
      throw node.Fail("input output_shape", ToText(asked),
                      StrCat("is not what the strides make of ", ToText(x)));
    axes.push_back({size, kernel, stride, 1, before, asked[1 + i]});
  }
  TransposedConv phases(node, axes, 1);
  std::vector<ValueId> bias;
  AddBias(node, {.x = 2, .w = 1, .bias = 3}, w[0], bias);
  const auto operands =
      phases.Operands(node.Real(2, kToChannelsFirst), node.Real(1, kToChannelsFirst),
                      bias.empty() ? kNone : bias[0]);
  const PhaseAxis &h = phases.window()[0], &v = phases.window()[1];
  const ValueId sums =
      node.Emit(Op::kConv2d, operands,
                {{"strides", std::vector<int64_t>{1, 1}},
                 {"dilations", std::vector<int64_t>{h.dilation, v.dilation}},
                 {"pads", std::vector<int64_t>{h.before, v.before, h.after, v.after}},
                 {"groups", int64_t{1}}});
  const ValueId y = phases.Interleave(sums);
  const ValueId active = Activate(node, y, static_cast<int>(options.fused_activation_function()));
  node.Result(node.Emit(Op::kTranspose, {active}, {{"perm", kToChannelsLast}}));
}

}  // namespace vta::compiler
