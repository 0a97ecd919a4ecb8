// Converters of convolutions. Those over one axis get a second one of size 1. Those over three take
// the depth apart: each depth of the result is a picture, whose channels are those of all depths
// that its window covers.
#include <algorithm>

#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/operators/window.h"
#include "compiler/frontend/transposed_conv.h"
#include "isa/support/plural.h"

namespace vta::compiler {
namespace {

void CheckKernel(OnnxNode& node, const std::vector<int64_t>& kernel) {
  const auto declared = node.Ints("kernel_shape").value_or(kernel);
  if (declared != kernel)
    throw node.Fail("attribute kernel_shape", ToText(declared),
                    StrCat("must be the weight's ", ToText(kernel)));
}

/// The weight's spatial sizes.
std::vector<int64_t> KernelOf(OnnxNode& node, const Shape& x, const Shape& w) {
  const size_t axes = SpatialAxes(node, x);
  if (w.size() != axes + 2)
    throw node.Fail("weight shape", ToText(w),
                    StrCat("must have as many dimensions as ", ToText(x)));
  return {w.begin() + 2, w.end()};
}

ValueId Conv2d(OnnxNode& node, const std::vector<ValueId>& operands, const OnnxWindow& window,
               size_t axis, int64_t groups) {
  Attributes attributes = window.Plane(axis);
  attributes.Set("groups", groups);
  return node.Emit(Op::kConv2d, operands, attributes);
}

ValueId Transpose(OnnxNode& node, ValueId x, std::vector<int64_t> perm) {
  return node.Emit(Op::kTranspose, {x}, {{"perm", std::move(perm)}});
}

/// [N,C,D,H,W] -> [N * OD, C * KD, H, W].
ValueId TakeDepthApart(OnnxNode& node, ValueId x, const OnnxWindow& window) {
  const int64_t before = window.before[0], after = window.after[0];
  const int64_t places = window.Places(0, node.type(x).shape[2]);
  if (places < 1) throw node.Fail("window", StrCat(window.Extent(0)), "must fit the padded depth");
  if (before != 0 || after != 0)
    x = node.Emit(Op::kPad, {x},
                  {{"mode", "constant"},
                   {"pads", std::vector<int64_t>{0, 0, before, 0, 0, 0, 0, after, 0, 0}},
                   {"value", 0.0}});
  std::vector<int64_t> depths;
  for (int64_t i = 0; i < places; ++i)
    for (int64_t k = 0; k < window.kernel[0]; ++k)
      depths.push_back(i * window.strides[0] + k * window.dilations[0]);
  const ValueId table = node.AddConstant("depths", Tensor::Of({places, window.kernel[0]}, depths));
  const ValueId apart = node.Emit(Op::kGather, {x, table}, {{"axis", int64_t{2}}});
  const Shape s = node.type(apart).shape;  // [N,C,OD,KD,H,W]
  return node.Reshape(Transpose(node, apart, {0, 2, 1, 3, 4, 5}),
                      {s[0] * s[2], s[1] * s[3], s[4], s[5]});
}

ValueId Conv3d(OnnxNode& node, std::vector<ValueId> operands, const OnnxWindow& window,
               int64_t groups) {
  const int64_t batch = node.type(operands[0]).shape[0];
  const Shape w = node.type(operands[1]).shape;
  operands[0] = TakeDepthApart(node, operands[0], window);
  operands[1] = node.Reshape(operands[1], {w[0], w[1] * w[2], w[3], w[4]});
  const ValueId y = Conv2d(node, operands, window, 1, groups);
  const Shape s = node.type(y).shape;
  const ValueId depths = node.Reshape(y, {batch, s[0] / batch, s[1], s[2], s[3]});
  return Transpose(node, depths, {0, 2, 1, 3, 4});
}

/// Weights of a transposed convolution in the order of a convolution's: [C, OC/group, ...] ->
/// [OC, C/group, ...].
ValueId OutputsFirst(OnnxNode& node, ValueId w, int64_t groups) {
  const Shape s = node.type(w).shape;
  Shape apart = {groups, s[0] / groups, s[1]}, joined = {groups * s[1], s[0] / groups};
  std::vector<int64_t> perm = {0, 2, 1};
  for (size_t i = 2; i < s.size(); ++i) {
    apart.push_back(s[i]);
    joined.push_back(s[i]);
    perm.push_back(static_cast<int64_t>(i) + 1);
  }
  return node.Reshape(Transpose(node, node.Reshape(w, apart), perm), joined);
}

/// The pads of a transposed convolution for the output that is asked for.
void PadForOutput(OnnxNode& node, const Shape& x, const std::vector<int64_t>& extra,
                  OnnxWindow& window) {
  const auto asked = node.Ints("output_shape");
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  if (!asked && !auto_pad.starts_with("SAME")) return;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < window.axes(); ++i) sizes.push_back(x[2 + i] * window.strides[i]);
  if (asked) sizes.assign(asked->end() - std::min(asked->size(), window.axes()), asked->end());
  if (sizes.size() != window.axes())
    throw node.Fail("attribute output_shape", ToText(sizes),
                    StrCat("must be ", window.axes(), " sizes"));
  for (size_t i = 0; i < window.axes(); ++i) {
    const int64_t total =
        (x[2 + i] - 1) * window.strides[i] + extra[i] + window.Extent(i) - sizes[i];
    window.before[i] = auto_pad == "SAME_LOWER" ? total - total / 2 : total / 2;
    window.after[i] = total - window.before[i];
  }
}

}  // namespace

ValueId EmitConv(OnnxNode& node, const std::vector<ValueId>& operands, const OnnxWindow& window,
                 int64_t groups) {
  const Shape x = node.type(operands[0]).shape;
  if (window.axes() == 3) return Conv3d(node, operands, window, groups);
  if (window.axes() == 2) return Conv2d(node, operands, window, 0, groups);
  std::vector<ValueId> flat = operands;
  for (int i = 0; i < 2; ++i)
    flat[i] = node.Reshape(operands[i], WithHeight(node.type(operands[i]).shape));
  const ValueId y = Conv2d(node, flat, WithHeight(window), 0, groups);
  const Shape s = node.type(y).shape;
  return node.Reshape(y, {s[0], s[1], s[3]});
}

ValueId EmitConv(OnnxNode& node, const std::vector<ValueId>& operands) {
  const Shape x = node.type(operands[0]).shape, w = node.type(operands[1]).shape;
  const std::vector<int64_t> kernel = KernelOf(node, x, w);
  CheckKernel(node, kernel);
  return EmitConv(node, operands, ReadWindow(node, x, kernel, false), node.Int("group", 1));
}

void ConvertConv(OnnxNode& node) {
  std::vector<ValueId> operands = {node.Input(0), node.Input(1)};
  if (node.Has(2)) operands.push_back(node.Input(2));
  node.Result(EmitConv(node, operands));
}

void ConvertConvTranspose(OnnxNode& node) {
  const Shape x = node.InputShape(0), w = node.InputShape(1);
  const std::vector<int64_t> kernel = KernelOf(node, x, w);
  CheckKernel(node, kernel);
  const int64_t groups = node.Int("group", 1);
  if (groups < 1 || w[0] != x[1] || w[0] % groups != 0)
    throw node.Fail("weight shape", ToText(w),
                    StrCat("must have the input's ", Counted(x[1], "channel"), ", in ",
                           Counted(groups, "group")));
  OnnxWindow window = ReadWindow(node, x, kernel, false);
  const auto extra = SmallInts(node, "output_padding", window.axes(), 0, 0);
  PadForOutput(node, x, extra, window);
  std::vector<TransposedAxis> axes;
  for (size_t i = 0; i < window.axes(); ++i) {
    const int64_t size = x[2 + i], stride = window.strides[i];
    axes.push_back(
        {size, kernel[i], stride, window.dilations[i], window.before[i],
         (size - 1) * stride + window.Extent(i) + extra[i] - window.before[i] - window.after[i]});
  }
  ValueId data = node.Input(0), weights = OutputsFirst(node, node.Input(1), groups);
  const bool flat = window.axes() == 1;
  if (flat) {
    axes.insert(axes.begin(), {1, 1, 1, 1, 0, 1});
    data = node.Reshape(data, WithHeight(node.type(data).shape));
    weights = node.Reshape(weights, WithHeight(node.type(weights).shape));
  }
  TransposedConv phases(node, axes, groups);
  OnnxWindow plain;
  for (const PhaseAxis& axis : phases.window()) {
    plain.kernel.push_back(axis.taps);
    plain.strides.push_back(1);
    plain.dilations.push_back(axis.dilation);
    plain.before.push_back(axis.before);
    plain.after.push_back(axis.after);
  }
  const auto operands = phases.Operands(data, weights, node.Has(2) ? node.Input(2) : kNone);
  const ValueId y = phases.Interleave(EmitConv(node, operands, plain, groups));
  const Shape s = node.type(y).shape;
  node.Result(flat ? node.Reshape(y, {s[0], s[1], s[3]}) : y);
}

}  // namespace vta::compiler
