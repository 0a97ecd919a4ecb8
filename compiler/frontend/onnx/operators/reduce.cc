// Converters of reductions over axes, softmax, and the places of the greatest.
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// The axes that a reduction runs over and whether they stay, as size 1.
struct Reduction {
  std::vector<int64_t> axes;
  int64_t keepdims;

  Attributes attributes(bool keep) const { return {{"axes", axes}, {"keepdims", int64_t{keep}}}; }
};

/// Axes are an attribute, and an input from an opset on. Without any all are reduced, or none.
Reduction ReadReduction(OnnxNode& node, int64_t since_input) {
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  Reduction r{{}, int64_t{node.Int("keepdims", 1) != 0}};
  const bool by_input = node.opset() >= since_input;
  if (by_input && node.Has(1)) r.axes = node.ConstantInts(1, "input axes");
  if (!by_input) r.axes = node.Ints("axes").value_or(r.axes);
  const bool none = by_input && node.Int("noop_with_empty_axes", 0) != 0;
  if (r.axes.empty() && !none)
    for (int64_t i = 0; i < rank; ++i) r.axes.push_back(i);
  for (int64_t& axis : r.axes) axis = node.Axis(axis, rank);
  return r;
}

constexpr int64_t kAxesByInput = 18;

ValueId Reduce(OnnxNode& node, Op op, ValueId x, const Reduction& r) {
  return node.Emit(op, {x}, r.attributes(r.keepdims != 0));
}

/// x less its greatest along the axes, and that.
struct Shifted {
  ValueId rest, most;
};
Shifted ShiftByMost(OnnxNode& node, ValueId x, const Reduction& r) {
  const ValueId most = node.Emit(Op::kReduceMax, {x}, r.attributes(true));
  return {node.Emit(Op::kSub, {x, most}), most};
}

/// Before opset 13 all axes from `axis` on are one: the shape to compute in, and the axis there.
struct Flattened {
  Shape shape;
  int64_t axis;
};
Flattened FlattenFrom(OnnxNode& node) {
  const Shape shape = node.InputShape(0);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const bool flattens = node.opset() < 13;
  const int64_t axis = node.Axis(node.Int("axis", flattens ? 1 : -1), rank);
  if (!flattens || axis == rank - 1) return {shape, axis};
  const int64_t outer = Elements(Shape(shape.begin(), shape.begin() + axis));
  return {{outer, Elements(shape) / outer}, 1};
}

/// Places of the greatest along the axis, or of the least: with the order turned round.
ValueId Turned(OnnxNode& node, ValueId x) {
  if (IsFloat(node.type(x).dtype)) return node.Emit(Op::kMul, {x, node.Number(x, -1)});
  // -1 - x turns round the order of signed numbers, all bits inverted that of unsigned ones.
  const ValueId ones = node.Emit(Op::kSub, {node.Number(x, 0), node.Number(x, 1)});
  return node.Emit(Op::kSub, {ones, x});
}

void ConvertArg(OnnxNode& node, bool greatest) {
  const Shape shape = node.InputShape(0);
  const int64_t axis = node.Axis(node.Int("axis", 0), static_cast<int64_t>(shape.size()));
  const ValueId x = greatest ? node.Input(0) : Turned(node, node.Input(0));
  const int64_t last = node.Int("select_last_index", 0) != 0;
  const ValueId place = node.Emit(Op::kArgMax, {x}, {{"axis", axis}, {"last", last}});
  Shape kept = shape;
  kept[axis] = 1;
  if (node.Int("keepdims", 1) == 0) kept.erase(kept.begin() + axis);
  node.Result(node.Reshape(place, kept));
}

/// The mean, or the greatest, of each channel.
void ConvertGlobalPool(OnnxNode& node, Op op) {
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  if (rank < 3) throw node.Fail("input shape", ToText(node.InputShape(0)), "must be [N,C,...]");
  std::vector<int64_t> axes;
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  node.Result(node.Emit(op, {node.Input(0)}, {{"axes", axes}, {"keepdims", int64_t{1}}}));
}
}  // namespace

void ConvertReduceMean(OnnxNode& node) {
  node.Result(Reduce(node, Op::kReduceMean, node.Input(0), ReadReduction(node, kAxesByInput)));
}
void ConvertReduceMax(OnnxNode& node) {
  node.Result(Reduce(node, Op::kReduceMax, node.Input(0), ReadReduction(node, kAxesByInput)));
}
void ConvertReduceMin(OnnxNode& node) {
  node.Result(Reduce(node, Op::kReduceMin, node.Input(0), ReadReduction(node, kAxesByInput)));
}
void ConvertReduceSum(OnnxNode& node) {
  constexpr int64_t kSumAxesByInput = 13;
  node.Result(Reduce(node, Op::kReduceSum, node.Input(0), ReadReduction(node, kSumAxesByInput)));
}

void ConvertReduceProd(OnnxNode& node) {
  const Reduction r = ReadReduction(node, kAxesByInput);
  node.Result(ProductAlong(node, node.Input(0), r.axes, r.keepdims != 0));
}

void ConvertCumSum(OnnxNode& node) {
  const auto asked = static_cast<int64_t>(node.ConstantNumber(1, "input axis"));
  node.Result(CumulativeSum(node, node.Input(0), node.Axis(asked, node.Rank(0)),
                            node.Int("exclusive", 0) != 0, node.Int("reverse", 0) != 0));
}

void ConvertReduceL1(OnnxNode& node) {
  const ValueId sizes = node.Emit(Op::kAbs, {node.Input(0)});
  node.Result(Reduce(node, Op::kReduceSum, sizes, ReadReduction(node, kAxesByInput)));
}

void ConvertReduceSumSquare(OnnxNode& node) {
  const ValueId squares = node.Emit(Op::kMul, {node.Input(0), node.Input(0)});
  node.Result(Reduce(node, Op::kReduceSum, squares, ReadReduction(node, kAxesByInput)));
}

void ConvertReduceL2(OnnxNode& node) {
  const ValueId squares = node.Emit(Op::kMul, {node.Input(0), node.Input(0)});
  const ValueId sum = Reduce(node, Op::kReduceSum, squares, ReadReduction(node, kAxesByInput));
  node.Result(node.Emit(Op::kSqrt, {sum}));
}

void ConvertReduceLogSum(OnnxNode& node) {
  const ValueId sum =
      Reduce(node, Op::kReduceSum, node.Input(0), ReadReduction(node, kAxesByInput));
  node.Result(node.Emit(Op::kLog, {sum}));
}

void ConvertReduceLogSumExp(OnnxNode& node) {
  const Reduction r = ReadReduction(node, kAxesByInput);
  const Shifted shifted = ShiftByMost(node, node.Input(0), r);
  const ValueId powers = node.Emit(Op::kExp, {shifted.rest});
  const ValueId sum = Reduce(node, Op::kReduceSum, powers, r);
  const ValueId most = node.Reshape(shifted.most, node.type(sum).shape);
  node.Result(node.Emit(Op::kAdd, {node.Emit(Op::kLog, {sum}), most}));
}

void ConvertSoftmax(OnnxNode& node) {
  const auto [shape, axis] = FlattenFrom(node);
  const ValueId x = node.Reshape(node.Input(0), shape);
  const ValueId y = node.Emit(Op::kSoftmax, {x}, {{"axis", axis}});
  node.Result(node.Reshape(y, node.InputShape(0)));
}

void ConvertLogSoftmax(OnnxNode& node) {
  const auto [shape, axis] = FlattenFrom(node);
  const Reduction line{{axis}, 1};
  const Shifted shifted = ShiftByMost(node, node.Reshape(node.Input(0), shape), line);
  const ValueId powers = node.Emit(Op::kExp, {shifted.rest});
  const ValueId log = node.Emit(Op::kLog, {Reduce(node, Op::kReduceSum, powers, line)});
  const ValueId y = node.Emit(Op::kSub, {shifted.rest, log});
  node.Result(node.Reshape(y, node.InputShape(0)));
}

/// 1 at the first greatest along the axis, 0 elsewhere.
void ConvertHardmax(OnnxNode& node) {
  const auto [shape, axis] = FlattenFrom(node);
  const ValueId x = node.Reshape(node.Input(0), shape);
  const ValueId place = node.Emit(Op::kArgMax, {x}, {{"axis", axis}, {"last", int64_t{0}}});
  Shape line(shape.size(), 1);
  line[axis] = shape[axis];
  std::vector<int64_t> places(shape[axis]);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  const ValueId all = node.AddConstant("places", Tensor::Of(line, places));
  const ValueId one = node.Emit(Op::kCast, {node.Emit(Op::kEqual, {place, all})},
                                {{"to", std::string(Name(node.Type(0).dtype))}});
  node.Result(node.Reshape(one, node.InputShape(0)));
}

void ConvertArgMax(OnnxNode& node) { ConvertArg(node, true); }
void ConvertArgMin(OnnxNode& node) { ConvertArg(node, false); }

void ConvertTopK(OnnxNode& node) {
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  const int64_t axis = node.Axis(node.Int("axis", -1), rank);
  const int64_t k = node.opset() < 10 ? node.Int("k", 0)
                                      : static_cast<int64_t>(node.ConstantNumber(1, "input K"));
  node.Ignore("sorted");  // in order is one of the orders that unsorted ones may have
  const ValueId x = node.Input(0);
  const ValueId ordered = node.Int("largest", 1) != 0 ? x : Turned(node, x);
  const ValueId places = node.Emit(Op::kTopK, {ordered}, {{"axis", axis}, {"k", k}});
  node.Result(places, 1);
  node.Result(GatherAlong(node, x, places, axis));
}

void ConvertGlobalAveragePool(OnnxNode& node) { ConvertGlobalPool(node, Op::kReduceMean); }
void ConvertGlobalMaxPool(OnnxNode& node) { ConvertGlobalPool(node, Op::kReduceMax); }

}  // namespace vta::compiler
