// Converters of operators that move elements or only rename them.
#include <algorithm>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

void Reshape(OnnxNode& node, const Shape& shape) {
  node.Result(node.Emit(Op::kReshape, {node.Input(0)}, {{"shape", shape}}));
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13, then an input.
std::optional<std::vector<int64_t>> ReadAxes(OnnxNode& node) {
  if (node.opset() < 13) return node.Ints("axes");
  if (!node.Has(1)) return std::nullopt;
  return node.ConstantInts(1, "input axes");
}

std::vector<bool> MarkAxes(const OnnxNode& node, const std::vector<int64_t>& axes, int64_t rank) {
  std::vector<bool> marked(rank);
  for (int64_t axis : axes) {
    const int64_t i = node.Axis(axis, rank);
    if (marked[i]) throw node.Fail("axes", ToText(axes), "must be distinct");
    marked[i] = true;
  }
  return marked;
}

/// Each axis is one period of what lies beyond it.
ValueId Wrap(OnnxNode& node, ValueId x, const std::vector<int64_t>& pads) {
  const int64_t rank = std::ssize(node.type(x).shape);
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t size = node.type(x).shape[axis], before = pads[axis], after = pads[axis + rank];
    if (before == 0 && after == 0) continue;
    constexpr int64_t kMost = 1 << 24;
    const int64_t count = size + before + after;
    if (before < -kMost || count < 1 || count > kMost)
      throw node.Fail("pads", ToText(pads), "must leave 1 to 2^24 elements of an axis");
    Tensor places = Places(count);
    for (int64_t& at : places.mutable_data<int64_t>()) at = ((at - before) % size + size) % size;
    x = node.Emit(Op::kGather, {x, node.AddConstant("places", std::move(places))},
                  {{"axis", axis}});
  }
  return x;
}

}  // namespace

void ConvertDropout(OnnxNode& node) {
  node.Ignore("ratio");
  node.Ignore("seed");
  if (node.Has(2) && node.ConstantNumber(2, "input training_mode") != 0)
    throw node.Fail("input training_mode", "true", "must be false: only inference is supported");
  node.Result(node.Emit(Op::kIdentity, {node.Input(0)}, {}));
  if (!node.WantsOutput(1)) return;
  Tensor mask(TensorType{DType::kBool, node.InputShape(0)});
  std::ranges::fill(mask.mutable_data<bool>(), true);
  node.ResultConstant(std::move(mask), 1);
}

void ConvertConstant(OnnxNode& node) { node.ResultConstant(node.ConstantAttribute()); }

void ConvertFlatten(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const int64_t rank = static_cast<int64_t>(x.size());
  const int64_t asked = node.Int("axis", 1);
  const int64_t axis = asked == rank ? rank : node.Axis(asked, rank);
  const int64_t outer = Elements(Shape(x.begin(), x.begin() + axis));
  Reshape(node, {outer, Elements(x) / outer});
}

void ConvertReshape(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  Shape shape = node.ConstantInts(1, "input shape");
  const bool allow_zero = node.opset() >= 14 && node.Int("allowzero", 0) != 0;
  const std::string asked = ToText(shape);
  int64_t unknown = kNone;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allow_zero && i < x.size()) shape[i] = x[i];
    if (shape[i] != -1) continue;
    if (unknown != kNone) throw node.Fail("input shape", asked, "must have at most one -1");
    unknown = static_cast<int64_t>(i);
    shape[i] = 1;
  }
  const auto known = CheckedElements(shape);
  if (unknown != kNone && known && Elements(x) % *known == 0) shape[unknown] = Elements(x) / *known;
  if (!known || Elements(shape) != Elements(x))
    throw node.Fail("input shape", asked, StrCat("must keep the elements of ", ToText(x)));
  Reshape(node, shape);
}

void ConvertSqueeze(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const auto axes = ReadAxes(node);
  const auto marked =
      MarkAxes(node, axes.value_or(std::vector<int64_t>{}), static_cast<int64_t>(x.size()));
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (marked[i] && x[i] != 1)
      throw node.Fail("axes", ToText(*axes), StrCat("must be axes of size 1 of ", ToText(x)));
    const bool drop = axes ? marked[i] : x[i] == 1;
    if (!drop) shape.push_back(x[i]);
  }
  Reshape(node, shape);
}

void ConvertUnsqueeze(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const auto axes = ReadAxes(node);
  if (!axes) throw node.Fail("axes", "missing", "is required");
  const auto marked = MarkAxes(node, *axes, static_cast<int64_t>(x.size() + axes->size()));
  Shape shape;
  size_t next = 0;
  for (bool added : marked) shape.push_back(added ? 1 : x[next++]);
  Reshape(node, shape);
}

void ConvertTranspose(OnnxNode& node) {
  std::vector<int64_t> reversed;
  for (size_t i = node.InputShape(0).size(); i-- > 0;) reversed.push_back(static_cast<int64_t>(i));
  node.Result(
      node.Emit(Op::kTranspose, {node.Input(0)}, {{"perm", node.Ints("perm").value_or(reversed)}}));
}

void ConvertConcat(OnnxNode& node) {
  if (!node.HasAttribute("axis")) throw node.Fail("attribute axis", "missing", "is required");
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i)
    if (!node.IsConstant(i) || node.Constant(i, "input").elements() > 0)
      inputs.push_back(node.Input(i));
  if (inputs.empty()) throw node.Fail("inputs", "all empty", "one must have elements");
  const int64_t rank = static_cast<int64_t>(node.type(inputs[0]).shape.size());
  node.Result(node.Emit(Op::kConcat, inputs, {{"axis", node.Axis(node.Int("axis", 0), rank)}}));
}

void ConvertPad(OnnxNode& node) {
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  const std::string mode = node.String("mode", "constant");
  std::vector<int64_t> given;
  double value = 0;
  if (node.opset() < 11) {
    given = node.Ints("pads").value_or(given);
    value = node.Float("value", 0);
  } else {
    given = node.ConstantInts(1, "input pads");
    if (node.Has(2)) value = node.ConstantNumber(2, "input constant_value");
  }
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  if (node.Has(3)) axes = node.ConstantInts(3, "input axes");
  MarkAxes(node, axes, rank);
  if (given.size() != 2 * axes.size())
    throw node.Fail("pads", ToText(given), StrCat("must be ", 2 * axes.size(), " integers"));
  std::vector<int64_t> pads(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    pads[node.Axis(axes[i], rank)] = given[i];
    pads[node.Axis(axes[i], rank) + rank] = given[i + axes.size()];
  }
  if (mode == "wrap") {
    node.Result(Wrap(node, node.Input(0), pads));
    return;
  }
  node.Result(
      node.Emit(Op::kPad, {node.Input(0)}, {{"mode", mode}, {"pads", pads}, {"value", value}}));
}

/// Blocks of channels become places of a picture, or the other way round.
void ConvertDepthToSpace(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const int64_t b = node.Int("blocksize", 0);
  const std::string mode = node.String("mode", "DCR");
  if (x.size() != 4 || b < 1 || x[1] % (b * b) != 0)
    throw node.Fail("attribute blocksize", StrCat(b),
                    StrCat("its square must divide the channels of ", ToText(x)));
  if (mode != "DCR" && mode != "CRD") throw node.Fail("attribute mode", mode, "must be DCR or CRD");
  node.Result(node.Emit(Op::kDepthToSpace, {node.Input(0)},
                        {{"blocks", Shape{b, b}},
                         {"crops", Shape{0, 0, 0, 0}},
                         {"groups", mode == "DCR" ? int64_t{1} : x[1] / b / b}}));
}

void ConvertSpaceToDepth(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const int64_t b = node.Int("blocksize", 0);
  if (x.size() != 4 || b < 1 || x[2] % b != 0 || x[3] % b != 0)
    throw node.Fail("attribute blocksize", StrCat(b),
                    StrCat("must divide the height and width of ", ToText(x)));
  const Shape apart = {x[0], x[1], x[2] / b, b, x[3] / b, b};
  const ValueId moved = node.Emit(Op::kTranspose, {node.Reshape(node.Input(0), apart)},
                                  {{"perm", std::vector<int64_t>{0, 3, 5, 1, 2, 4}}});
  node.Result(node.Reshape(moved, {x[0], x[1] * b * b, x[2] / b, x[3] / b}));
}

}  // namespace vta::compiler
