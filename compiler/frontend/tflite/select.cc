// Converters of operators that choose elements: codes stay codes.
#include <algorithm>
#include <numeric>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// Elements from `starts` on by `steps`, as many as `shape` says.
struct Cut {
  std::vector<int64_t> starts, steps;
  Shape shape;
};

/// What is cut from a constant may be empty.
void ResultCut(TfliteNode& node, const Cut& cut, const Shape& shape) {
  if (std::ranges::count(cut.shape, 0) > 0 && node.IsConstant(0)) {
    node.ResultConstant(Tensor(TensorType{node.Type(0).dtype, shape}));
    return;
  }
  const ValueId y = node.Emit(Op::kSlice, {node.Stored(0)},
                              {{"starts", cut.starts}, {"steps", cut.steps}, {"shape", cut.shape}});
  node.ResultStored(node.Reshape(y, shape));
}

/// One of an operator's parts along an axis.
void ResultPart(TfliteNode& node, int64_t input, int64_t axis, int64_t first, int64_t count,
                const Shape& shape, int64_t output) {
  const Shape x = node.InputShape(input);
  Shape part = x;
  part[axis] = count;
  std::vector<int64_t> starts(x.size(), 0);
  starts[axis] = first;
  const ValueId y = node.Emit(
      Op::kSlice, {node.Stored(input)},
      {{"starts", starts}, {"steps", std::vector<int64_t>(x.size(), 1)}, {"shape", part}});
  node.ResultStored(node.Reshape(y, shape), output);
}

void SplitInto(TfliteNode& node, int64_t input, int64_t axis, const std::vector<int64_t>& sizes) {
  const Shape x = node.InputShape(input);
  const auto beyond = [&](int64_t part) { return part < 1 || part > x[axis]; };
  if (std::ssize(sizes) != node.output_count() || std::ranges::any_of(sizes, beyond) ||
      std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != x[axis])
    throw node.Fail("sizes", ToText(sizes),
                    StrCat("must be ", node.output_count(), " whose sum is ", x[axis]));
  int64_t first = 0;
  for (int64_t i = 0; i < node.output_count(); first += sizes[i++]) {
    Shape shape = x;
    shape[axis] = sizes[i];
    ResultPart(node, input, axis, first, sizes[i], shape, i);
  }
}

int64_t AxisInput(TfliteNode& node, int64_t input, int64_t of) {
  return node.Axis(node.ConstantInt(input, "input axis"), node.Rank(of));
}

/// Numbers for each axis of the input, or for its first.
std::vector<int64_t> ForAxes(TfliteNode& node, int64_t input, const char* what, bool all) {
  std::vector<int64_t> list = node.ConstantInts(input, what);
  if (std::ssize(list) > node.Rank(0) || (all && std::ssize(list) != node.Rank(0)))
    throw node.Fail(what, ToText(list),
                    StrCat("must be ", all ? "" : "at most ", node.Rank(0), " integers"));
  return list;
}

}  // namespace

void ConvertSlice(TfliteNode& node) {
  const Shape x = node.InputShape(0);
  Cut cut{ForAxes(node, 1, "input begin", true), std::vector<int64_t>(x.size(), 1),
          ForAxes(node, 2, "input size", true)};
  for (size_t i = 0; i < x.size(); ++i) {
    if (cut.starts[i] < 0 || cut.starts[i] > x[i])
      throw node.Fail("input begin", ToText(cut.starts), StrCat("must lie in ", ToText(x)));
    if (cut.shape[i] == -1) cut.shape[i] = x[i] - cut.starts[i];
    if (cut.shape[i] < 0 || cut.shape[i] > x[i])
      throw node.Fail("input size", ToText(cut.shape), StrCat("must lie in ", ToText(x)));
  }
  ResultCut(node, cut, cut.shape);
}

void ConvertStridedSlice(TfliteNode& node) {
  const auto& options = node.Options<schema::StridedSliceOptions>();
  if (options.ellipsis_mask() != 0 || options.new_axis_mask() != 0)
    throw node.Fail("ellipsis_mask and new_axis_mask",
                    StrCat(options.ellipsis_mask(), " and ", options.new_axis_mask()), "must be 0");
  const Shape x = node.InputShape(0);
  const auto begins = ForAxes(node, 1, "input begin", false);
  const auto ends = ForAxes(node, 2, "input end", false);
  const auto strides = ForAxes(node, 3, "input strides", false);
  if (ends.size() != begins.size() || strides.size() != begins.size())
    throw node.Fail("begin, end and strides", StrCat(begins.size(), " begins"),
                    "must be of one length");
  Cut cut{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), x};
  Shape shape;  // without the axes that are dropped
  for (size_t i = 0; i < x.size(); ++i) {
    const bool listed = i < begins.size();
    const auto masked = [&](int mask) { return listed && i < 31 && (mask >> i & 1) != 0; };
    if (listed) {
      const int64_t size = x[i], stride = std::clamp(strides[i], -size, size);
      if (stride == 0) throw node.Fail("input strides", ToText(strides), "must not be 0");
      const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
      const auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
      const int64_t first =
          masked(options.begin_mask()) ? (stride > 0 ? low : high) : place(begins[i]);
      const int64_t end = masked(options.end_mask()) ? (stride > 0 ? high : low) : place(ends[i]);
      const int64_t span = stride > 0 ? end - first : first - end;
      cut.starts[i] = first;
      cut.steps[i] = stride;
      cut.shape[i] = span > 0 ? (span - 1) / std::abs(stride) + 1 : 0;
      if (masked(options.shrink_axis_mask())) cut.shape[i] = cut.steps[i] = 1;
    }
    if (!masked(options.shrink_axis_mask())) shape.push_back(cut.shape[i]);
  }
  ResultCut(node, cut, shape);
}

/// In equal parts.
void ConvertSplit(TfliteNode& node) {
  const int64_t axis = AxisInput(node, 0, 1), size = node.InputShape(1)[axis];
  const int64_t parts = node.output_count();
  SplitInto(node, 1, axis, std::vector<int64_t>(parts, size / parts));
}

/// In parts of which one may be left open.
void ConvertSplitV(TfliteNode& node) {
  const int64_t axis = AxisInput(node, 2, 0);
  std::vector<int64_t> sizes = node.ConstantInts(1, "input size_splits");
  const auto open = std::ranges::find(sizes, -1);
  if (open != sizes.end()) {
    *open = node.InputShape(0)[axis];
    for (auto size = sizes.begin(); size != sizes.end(); ++size)
      if (size != open) *open -= std::clamp<int64_t>(*size, 0, *open);
  }
  SplitInto(node, 0, axis, sizes);
}

void ConvertUnpack(TfliteNode& node) {
  const int64_t axis = node.Axis(node.Options<schema::UnpackOptions>().axis(), node.Rank(0));
  Shape shape = node.InputShape(0);
  if (shape[axis] != node.output_count())
    throw node.Fail("outputs", StrCat(node.output_count()),
                    StrCat("must be ", shape[axis], ", the size of axis ", axis));
  shape.erase(shape.begin() + axis);
  for (int64_t i = 0; i < node.output_count(); ++i) ResultPart(node, 0, axis, i, 1, shape, i);
}

void ConvertReverseV2(TfliteNode& node) {
  const Shape x = node.InputShape(0);
  Cut cut{std::vector<int64_t>(x.size(), 0), std::vector<int64_t>(x.size(), 1), x};
  for (int64_t axis : node.ConstantInts(1, "input axis")) {
    const int64_t at = node.Axis(axis, node.Rank(0));
    cut.starts[at] = x[at] - 1;
    cut.steps[at] = -1;
  }
  ResultCut(node, cut, x);
}

void ConvertGather(TfliteNode& node) {
  const auto& options = node.Options<schema::GatherOptions>();
  const int64_t axis = node.Axis(options.axis(), node.Rank(0));
  if (options.batch_dims() != 0)
    throw node.Fail("batch_dims", StrCat(options.batch_dims()), "must be 0");
  if (node.IsConstant(1)) {
    const Tensor& indices = node.Constant(1, "input indices");
    const int64_t size = node.InputShape(0)[axis];
    for (int64_t i = 0; i < indices.elements(); ++i)
      if (indices.At(i) < 0 || indices.At(i) >= static_cast<double>(size))
        throw node.Fail("input indices", StrCat(indices.At(i)),
                        StrCat("must be in [0, ", size, ")"));
  }
  node.ResultStored(node.Emit(Op::kGather, {node.Stored(0), node.Stored(1)}, {{"axis", axis}}));
}

void ConvertGatherNd(TfliteNode& node) {
  node.ResultStored(GatherNd(node, node.Stored(0), node.Stored(1), 0));
}

/// Inputs: indices, depth, the value where an index names the place, and that elsewhere.
void ConvertOneHot(TfliteNode& node) {
  const int64_t rank = node.Rank(0) + 1, depth = node.ConstantInt(1, "input depth");
  const int64_t axis = node.Axis(node.Options<schema::OneHotOptions>().axis(), rank);
  constexpr int64_t kMostDepth = 1 << 24;
  if (depth < 1 || depth > kMostDepth)
    throw node.Fail("input depth", StrCat(depth), "must be from 1 to 2^24");
  node.ResultStored(OneHot(node, node.Stored(0), depth, axis, node.Stored(2), node.Stored(3)));
}

}  // namespace vta::compiler
