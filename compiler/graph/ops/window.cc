// Sliding windows: reading their attributes and the size of what they produce.
#include "compiler/graph/ops/families.h"

namespace vta::compiler::ops {
namespace {

constexpr int64_t kMost = int64_t{1} << 31;

void CheckList(const OpView& view, std::string_view name, const std::vector<int64_t>& list,
               size_t count, int64_t low) {
  bool sound = list.size() == count;
  for (int64_t v : list) sound &= v >= low && v < kMost;
  view.Require(sound, name, ToText(list),
               StrCat("must be ", count, " integers from ", low, " to 2^31 - 1"));
}

}  // namespace

Window ReadWindow(const OpView& view, const std::vector<int64_t>& kernel) {
  const std::vector<int64_t> ones = {1, 1};
  const std::vector<int64_t>& strides = view.Ints("strides");
  const std::vector<int64_t>& pads = view.Ints("pads");
  const std::vector<int64_t>& dilations =
      view.node.attributes.Has("dilations") ? view.Ints("dilations") : ones;
  CheckList(view, "kernel", kernel, 2, 1);
  CheckList(view, "strides", strides, 2, 1);
  CheckList(view, "dilations", dilations, 2, 1);
  CheckList(view, "pads", pads, 4, 0);
  Window window;
  for (int axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = kernel[axis];
    window.stride[axis] = strides[axis];
    window.dilation[axis] = dilations[axis];
    window.pad_begin[axis] = pads[axis];
    window.pad_end[axis] = pads[axis + 2];
  }
  return window;
}

int64_t WindowOutput(const OpView& view, const Window& window, int axis, int64_t input) {
  const int64_t extent = (window.kernel[axis] - 1) * window.dilation[axis] + 1;
  const int64_t padded = input + window.pad_begin[axis] + window.pad_end[axis];
  view.Require(extent <= padded, axis == 0 ? "window height" : "window width", StrCat(extent),
               StrCat("must not exceed the padded input of ", padded));
  return (padded - extent) / window.stride[axis] + 1;
}

}  // namespace vta::compiler::ops
