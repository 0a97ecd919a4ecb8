// Converters of operators that cut out, repeat and mask elements.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// A slice of some axes: where it starts and ends, and its step.
struct SliceOf {
  std::vector<int64_t> starts, ends, axes, steps;
};

SliceOf ReadSlice(OnnxNode& node) {
  SliceOf s;
  if (node.opset() < 10) {
    s.starts = node.Ints("starts").value_or(s.starts);
    s.ends = node.Ints("ends").value_or(s.ends);
    s.axes = node.Ints("axes").value_or(s.axes);
  } else {
    s.starts = node.ConstantInts(1, "input starts");
    s.ends = node.ConstantInts(2, "input ends");
    if (node.Has(3)) s.axes = node.ConstantInts(3, "input axes");
    if (node.Has(4)) s.steps = node.ConstantInts(4, "input steps");
  }
  if (s.axes.empty())
    for (size_t i = 0; i < s.starts.size(); ++i) s.axes.push_back(static_cast<int64_t>(i));
  if (s.steps.empty()) s.steps.assign(s.starts.size(), 1);
  if (s.ends.size() != s.starts.size() || s.axes.size() != s.starts.size() ||
      s.steps.size() != s.starts.size())
    throw node.Fail("starts, ends, axes and steps", StrCat(s.starts.size(), " starts"),
                    "must be of one length");
  return s;
}

/// How many elements lie from start to end by step, and the first; both ends are clamped.
struct Range {
  int64_t first, count;
};
Range ClampSlice(int64_t start, int64_t end, int64_t step, int64_t size) {
  if (start < 0) start += size;
  if (end < 0) end += end == std::numeric_limits<int64_t>::min() ? 0 : size;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    return {start, end > start ? (end - start - 1) / step + 1 : 0};
  }
  start = std::clamp<int64_t>(start, 0, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  return {start, start > end ? (start - end - 1) / -step + 1 : 0};
}

}  // namespace

void ConvertSlice(OnnxNode& node) {
  const SliceOf s = ReadSlice(node);
  Shape shape = node.InputShape(0);
  const Shape x = shape;
  std::vector<int64_t> starts(x.size(), 0), steps(x.size(), 1);
  for (size_t i = 0; i < s.axes.size(); ++i) {
    const int64_t axis = node.Axis(s.axes[i], node.Rank(0));
    if (s.steps[i] == 0) throw node.Fail("steps", ToText(s.steps), "must not be 0");
    steps[axis] = std::clamp(s.steps[i], -x[axis], x[axis]);  // a longer one takes one element too
    const Range range = ClampSlice(s.starts[i], s.ends[i], steps[axis], x[axis]);
    starts[axis] = range.first;
    shape[axis] = range.count;
  }
  if (std::ranges::count(shape, 0) > 0 && node.IsConstant(0)) {
    node.ResultConstant(Tensor(TensorType{node.Type(0).dtype, shape}));
    return;
  }
  node.Result(node.Emit(Op::kSlice, {node.Input(0)},
                        {{"starts", starts}, {"steps", steps}, {"shape", shape}}));
}

void ConvertSplit(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0));
  const int64_t size = node.InputShape(0)[axis], count = node.output_count();
  if (count < 1) throw node.Fail("outputs", "none", "must be at least one");
  std::vector<int64_t> sizes;
  if (node.opset() < 13) {
    sizes = node.Ints("split").value_or(sizes);
  } else if (node.Has(1)) {
    sizes = node.ConstantInts(1, "input split");
  }
  if (node.opset() >= 18) node.Ignore("num_outputs");
  if (sizes.empty()) {  // in equal parts, the last one may be smaller
    const int64_t part = (size + count - 1) / count;
    for (int64_t i = 0; i < count; ++i) sizes.push_back(std::min(part, size - i * part));
  }
  const auto beyond = [&](int64_t part) { return part < 1 || part > size; };
  if (static_cast<int64_t>(sizes.size()) != count || std::ranges::any_of(sizes, beyond) ||
      std::accumulate(sizes.begin(), sizes.end(), int64_t{0}) != size)
    throw node.Fail("split", ToText(sizes),
                    StrCat("must be ", count, " sizes whose sum is ", size));
  int64_t first = 0;
  for (int64_t i = 0; i < count; first += sizes[i++])
    node.Result(Slice(node, node.Input(0), axis, first, sizes[i]), i);
}

void ConvertExpand(OnnxNode& node) {
  Shape shape = ReadShape(node, 1, "input shape");
  const Shape x = node.InputShape(0);
  while (shape.size() < x.size()) shape.insert(shape.begin(), 1);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t& size = shape[shape.size() - 1 - i];
    if (size == 1) size = x[x.size() - 1 - i];
  }
  node.Result(node.Emit(Op::kExpand, {node.Input(0)}, {{"shape", shape}}));
}

void ConvertTile(OnnxNode& node) {
  const Shape x = node.InputShape(0), repeats = ReadShape(node, 1, "input repeats");
  if (repeats.size() != x.size())
    throw node.Fail("input repeats", ToText(repeats), StrCat("must be ", x.size(), " integers"));
  Shape apart, repeated, joined;
  for (size_t i = 0; i < x.size(); ++i) {
    apart.insert(apart.end(), {1, x[i]});
    repeated.insert(repeated.end(), {repeats[i], x[i]});
    joined.push_back(repeats[i] * x[i]);
  }
  const ValueId all =
      node.Emit(Op::kExpand, {node.Reshape(node.Input(0), apart)}, {{"shape", repeated}});
  node.Result(node.Reshape(all, joined));
}

void ConvertTrilu(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  if (x.size() < 2) throw node.Fail("input shape", ToText(x), "must have two dimensions or more");
  const int64_t rows = x[x.size() - 2], columns = x.back();
  const int64_t k = node.Has(1) ? static_cast<int64_t>(node.ConstantNumber(1, "input k")) : 0;
  const bool upper = node.Int("upper", 1) != 0;
  Tensor mask(TensorType{DType::kBool, {rows, columns}});
  for (int64_t i = 0; i < mask.elements(); ++i) {
    const int64_t diagonal = i % columns - i / columns;
    mask.mutable_data<bool>()[i] = upper ? diagonal >= k : diagonal <= k;
  }
  const ValueId kept = node.AddConstant("mask", std::move(mask));
  node.Result(node.Emit(Op::kWhere, {kept, node.Input(0), node.Number(node.Input(0), 0)}));
}

}  // namespace vta::compiler
