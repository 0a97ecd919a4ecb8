// Converter of transposed convolutions: a convolution of the input with zeros between its elements.
#include <algorithm>

#include "compiler/frontend/tflite/layer_operands.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"
#include "compiler/frontend/tflite/window.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// Each kernel [OC,C,KH,KW] back to front.
ValueId Turned(TfliteNode& node, ValueId w) {
  const Shape s = node.type(w).shape;
  return node.Emit(Op::kSlice, {w},
                   {{"starts", std::vector<int64_t>{0, 0, s[2] - 1, s[3] - 1}},
                    {"steps", std::vector<int64_t>{1, 1, -1, -1}},
                    {"shape", s}});
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
  std::vector<int64_t> pads(8, 0);
  for (size_t i = 0; i < 2; ++i) {
    if (!CheckedElements({x[1 + i], strides[i]}))
      throw node.Fail("strides", ToText(strides), StrCat("are too large for ", ToText(x)));
    const int64_t k = w[1 + i], spread = (x[1 + i] - 1) * strides[i] + 1;
    pads[2 + i] = k - 1 - window.before[i];
    pads[6 + i] = asked[1 + i] + k - 1 - spread - pads[2 + i];
    if (pads[6 + i] < 1 - k - strides[i] || pads[6 + i] > k + strides[i])
      throw node.Fail("input output_shape", ToText(asked),
                      StrCat("is not what the strides make of ", ToText(x)));
  }
  const ValueId apart =
      node.Emit(Op::kDilate, {node.Real(2, kToChannelsFirst)},
                {{"steps", std::vector<int64_t>{1, 1, strides[0], strides[1]}}, {"value", 0.0}});
  const ValueId padded = node.Emit(
      Op::kPad, {apart}, {{"mode", std::string("constant")}, {"pads", pads}, {"value", 0.0}});
  std::vector<ValueId> operands = {padded, Turned(node, node.Real(1, kToChannelsFirst))};
  AddBias(node, {.x = 2, .w = 1, .bias = 3}, w[0], operands);
  const std::vector<int64_t> ones = {1, 1};
  const ValueId y = node.Emit(Op::kConv2d, operands,
                              {{"strides", ones},
                               {"dilations", ones},
                               {"pads", std::vector<int64_t>(4, 0)},
                               {"groups", int64_t{1}}});
  const ValueId active = Activate(node, y, static_cast<int>(options.fused_activation_function()));
  node.Result(node.Emit(Op::kTranspose, {active}, {{"perm", kToChannelsLast}}));
}

}  // namespace vta::compiler
