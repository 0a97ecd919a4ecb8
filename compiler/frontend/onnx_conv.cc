// Converters of sliding-window operators: Conv and the pools.
#include <algorithm>

#include "compiler/frontend/onnx_operators.h"

namespace vta::compiler {
namespace {

constexpr int64_t kMost = (int64_t{1} << 31) - 1;

/// An attribute of `count` integers in [low, 2^31).
std::vector<int64_t> SmallInts(OnnxNode& node, const char* name, size_t count, int64_t low,
                               int64_t otherwise) {
  const auto list = node.Ints(name).value_or(std::vector<int64_t>(count, otherwise));
  bool sound = list.size() == count;
  for (int64_t v : list) sound &= v >= low && v <= kMost;
  if (!sound)
    throw node.Fail(StrCat("attribute ", name), ToText(list),
                    StrCat("must be ", count, " integers from ", low, " to 2^31 - 1"));
  return list;
}

void RequireImage(const OnnxNode& node, const Shape& x) {
  if (x.size() != 4)
    throw node.Fail("input shape", ToText(x),
                    "must be [N,C,H,W]: two spatial dimensions are supported");
}

/// Pads as top, left, bottom, right; auto_pad and ceil_mode are resolved for the static shape.
std::vector<int64_t> ResolvePads(OnnxNode& node, const Shape& x, const std::vector<int64_t>& kernel,
                                 const std::vector<int64_t>& strides,
                                 const std::vector<int64_t>& dilations, bool ceil_mode) {
  const std::string auto_pad = node.String("auto_pad", "NOTSET");
  std::vector<int64_t> pads = SmallInts(node, "pads", 4, 0, 0);
  if (auto_pad == "VALID") {
    pads = {0, 0, 0, 0};
  } else if (auto_pad != "NOTSET" && auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
    throw node.Fail("attribute auto_pad", auto_pad,
                    "must be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  }
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t in = x[2 + axis], stride = strides[axis];
    const int64_t extent = (kernel[axis] - 1) * dilations[axis] + 1;
    if (auto_pad.starts_with("SAME")) {
      const int64_t total =
          std::max<int64_t>((in + stride - 1) / stride * stride - stride + extent - in, 0);
      pads[axis] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      pads[axis + 2] = total - pads[axis];
    }
    const int64_t room = in + pads[axis] + pads[axis + 2] - extent;
    if (!ceil_mode || room < 0) continue;
    int64_t last = (room + stride - 1) / stride;   // the last window, by its index
    if (last * stride >= in + pads[axis]) --last;  // a window must not start in the end padding
    pads[axis + 2] = std::max<int64_t>(last * stride + extent - in - pads[axis], 0);
  }
  return pads;
}

struct PoolWindow {
  std::vector<int64_t> kernel, strides, dilations, pads;
};

PoolWindow ReadPool(OnnxNode& node, const Shape& x) {
  RequireImage(node, x);
  if (!node.HasAttribute("kernel_shape"))
    throw node.Fail("attribute kernel_shape", "missing", "is required");
  PoolWindow window;
  window.kernel = SmallInts(node, "kernel_shape", 2, 1, 1);
  window.strides = SmallInts(node, "strides", 2, 1, 1);
  window.dilations = SmallInts(node, "dilations", 2, 1, 1);
  window.pads = ResolvePads(node, x, window.kernel, window.strides, window.dilations,
                            node.Int("ceil_mode", 0) != 0);
  return window;
}

}  // namespace

Attributes ReadConvAttributes(OnnxNode& node, const Shape& x, const Shape& w) {
  RequireImage(node, x);
  if (w.size() != 4) throw node.Fail("weight shape", ToText(w), "must be [OC,C/group,KH,KW]");
  const std::vector<int64_t> kernel = {w[2], w[3]};
  const auto declared = node.Ints("kernel_shape").value_or(kernel);
  if (declared != kernel)
    throw node.Fail("attribute kernel_shape", ToText(declared),
                    StrCat("must be the weight's ", ToText(kernel)));
  const auto strides = SmallInts(node, "strides", 2, 1, 1);
  const auto dilations = SmallInts(node, "dilations", 2, 1, 1);
  return {{"strides", strides},
          {"dilations", dilations},
          {"pads", ResolvePads(node, x, kernel, strides, dilations, false)},
          {"groups", node.Int("group", 1)}};
}

void ConvertConv(OnnxNode& node) {
  Attributes attributes = ReadConvAttributes(node, node.InputShape(0), node.InputShape(1));
  std::vector<ValueId> inputs = {node.Input(0), node.Input(1)};
  if (node.Has(2)) inputs.push_back(node.Input(2));
  node.Result(node.Emit(Op::kConv2d, inputs, std::move(attributes)));
}

void ConvertMaxPool(OnnxNode& node) {
  const PoolWindow window = ReadPool(node, node.InputShape(0));
  if (node.Int("storage_order", 0) != 0)
    throw node.Fail("attribute storage_order", "1", "must be 0");
  node.Result(node.Emit(Op::kMaxPool, {node.Input(0)},
                        {{"kernel", window.kernel},
                         {"strides", window.strides},
                         {"pads", window.pads},
                         {"dilations", window.dilations}}));
}

void ConvertAveragePool(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const PoolWindow window = ReadPool(node, x);
  if (window.dilations != std::vector<int64_t>{1, 1})
    throw node.Fail("attribute dilations", ToText(window.dilations), "must be [1,1]");
  const int64_t include = node.Int("count_include_pad", 0);
  const auto declared = node.Ints("pads").value_or(std::vector<int64_t>{0, 0, 0, 0});
  // Operator sets differ on whether such windows count the elements past the padding.
  if (include != 0 && node.Int("ceil_mode", 0) != 0 && window.pads != declared)
    throw node.Fail("attribute count_include_pad", "1",
                    "must be 0 when ceil_mode extends the last window");
  node.Result(node.Emit(Op::kAvgPool, {node.Input(0)},
                        {{"kernel", window.kernel},
                         {"strides", window.strides},
                         {"pads", window.pads},
                         {"count_include_pad", int64_t{include != 0}}}));
}

void ConvertGlobalAveragePool(OnnxNode& node) {
  RequireImage(node, node.InputShape(0));
  node.Result(node.Emit(Op::kReduceMean, {node.Input(0)},
                        {{"axes", std::vector<int64_t>{2, 3}}, {"keepdims", int64_t{1}}}));
}

}  // namespace vta::compiler
