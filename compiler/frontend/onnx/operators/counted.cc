// Converters of operators whose results are as many as the data says: as many as there can be, of
// which those that are found go first, and how many these are.
#include <algorithm>
#include <limits>

#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The rows that are `found` [rows] before the others, which become -1; bound as the first output,
/// with its count.
void ResultRows(OnnxNode& node, ValueId rows, ValueId found, bool by_columns) {
  const int64_t count = node.type(rows).shape[0];
  const ValueId codes = node.Emit(Op::kCast, {found}, {{"to", "int64"}});
  const ValueId order = node.Emit(Op::kTopK, {codes}, {{"axis", int64_t{0}}, {"k", count}});
  const ValueId sorted = node.Emit(Op::kGather, {rows, order}, {{"axis", int64_t{0}}});
  const ValueId total = node.Emit(Op::kReduceSum, {codes},
                                  {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{1}}});
  const ValueId places = node.AddConstant("places", Places(count));
  const ValueId kept = node.Reshape(node.Emit(Op::kLess, {places, total}), {count, 1});
  const ValueId y = node.Emit(Op::kWhere, {kept, sorted, node.Number(sorted, -1)});
  node.ResultCounted(
      by_columns ? node.Emit(Op::kTranspose, {y}, {{"perm", std::vector<int64_t>{1, 0}}}) : y,
      total);
}

/// Boxes [N,boxes,4] by their corners, each [N,boxes].
struct Corners {
  ValueId low[2], high[2], area;
};

Corners ReadCorners(OnnxNode& node) {
  const ValueId boxes = node.Input(0);
  const Shape s = node.type(boxes).shape;
  const auto part = [&](int64_t i) {
    return node.Reshape(Slice(node, boxes, 2, i, 1), {s[0], s[1]});
  };
  const Math m{node, boxes};
  Corners c;
  const bool by_centre = node.Int("center_point_box", 0) != 0;
  for (int64_t axis = 0; axis < 2; ++axis) {
    const ValueId a = part(axis), b = part(axis + 2);
    const ValueId half = m(Op::kMul, b, 0.5);
    c.low[axis] = by_centre ? m(Op::kSub, a, half) : m(Op::kMin, a, b);
    c.high[axis] = by_centre ? m(Op::kAdd, a, half) : m(Op::kMax, a, b);
  }
  c.area = m(Op::kMul, m(Op::kSub, c.high[0], c.low[0]), m(Op::kSub, c.high[1], c.low[1]));
  return c;
}

/// Boxes are taken one after the other, in all classes at once: the best that is left, and nothing
/// that overlaps it.
class Suppression {
 public:
  Suppression(OnnxNode& node, double most_overlap)
      : node_(node), most_overlap_(most_overlap), all_(ReadCorners(node)) {
    const Shape s = node.InputShape(1);
    batch_ = s[0], classes_ = s[1], boxes_ = s[2];
  }

  /// The index of the box that each class takes [N,classes,1], of scores [N,classes,boxes], in
  /// which what is taken or overlaps it becomes kNever.
  ValueId Take(ValueId& scores) {
    const ValueId best =
        node_.Emit(Op::kArgMax, {scores}, {{"axis", int64_t{2}}, {"last", int64_t{0}}});
    Tensor starts(TensorType{DType::kInt64, {batch_, 1, 1}});
    for (int64_t i = 0; i < batch_; ++i) starts.mutable_data<int64_t>()[i] = i * boxes_;
    const ValueId place =
        node_.Emit(Op::kAdd, {best, node_.AddConstant("starts", std::move(starts))});
    const auto taken = [&](ValueId values) {
      const ValueId flat = node_.Reshape(values, {batch_ * boxes_});
      return node_.Emit(Op::kGather, {flat, place}, {{"axis", int64_t{0}}});
    };
    const auto all = [&](ValueId values) { return node_.Reshape(values, {batch_, 1, boxes_}); };
    const Math m{node_, scores};
    const auto common = [&](int64_t axis) {
      const ValueId low = m(Op::kMax, taken(all_.low[axis]), all(all_.low[axis]));
      const ValueId high = m(Op::kMin, taken(all_.high[axis]), all(all_.high[axis]));
      return node_.Emit(Op::kRelu, {m(Op::kSub, high, low)});
    };
    const ValueId overlap = m(Op::kMul, common(0), common(1));
    const ValueId either = m(Op::kSub, m(Op::kAdd, taken(all_.area), all(all_.area)), overlap);
    const ValueId much = m(Op::kLess, most_overlap_, m(Op::kDiv, overlap, either));
    const ValueId itself = m(Op::kEqual, node_.AddConstant("boxes", Places(boxes_)), best);
    scores = node_.Emit(Op::kWhere, {m(Op::kOr, much, itself), m.Number(kNever), scores});
    return best;
  }

 private:
  OnnxNode& node_;
  double most_overlap_;
  Corners all_;
  int64_t batch_, classes_, boxes_;
};

}  // namespace

/// Rows of batch, class and box.
void ConvertNonMaxSuppression(OnnxNode& node) {
  const Shape boxes = node.InputShape(0), shape = node.InputShape(1);
  if (boxes.size() != 3 || boxes[2] != 4 || shape.size() != 3 || shape[0] != boxes[0] ||
      shape[2] != boxes[1])
    throw node.Fail("shapes of boxes and scores", StrCat(ToText(boxes), " and ", ToText(shape)),
                    "must be [N,boxes,4] and [N,classes,boxes]");
  const auto number = [&](int64_t input, const char* what, double otherwise) {
    return node.Has(input) ? node.ConstantNumber(input, what) : otherwise;
  };
  constexpr double kMostSteps = 1024;
  const double asked =
      std::min(number(2, "input max_output_boxes_per_class", 0), static_cast<double>(boxes[1]));
  if (asked < 1 || asked > kMostSteps)
    throw node.Fail("input max_output_boxes_per_class", StrCat(asked),
                    "must be 1 to 1024, of which each is a step of its own");
  ValueId scores = node.Input(1);
  if (node.Has(4)) {
    const ValueId low = node.Number(scores, number(4, "input score_threshold", 0));
    scores = node.Emit(Op::kWhere,
                       {node.Emit(Op::kLess, {low, scores}), scores, node.Number(scores, kNever)});
  }
  Suppression suppression(node, number(3, "input iou_threshold", 0));
  std::vector<ValueId> taken, found;
  for (int64_t step = 0; step < static_cast<int64_t>(asked); ++step) {
    const ValueId top = node.Emit(Op::kReduceMax, {scores},
                                  {{"axes", std::vector<int64_t>{2}}, {"keepdims", int64_t{1}}});
    found.push_back(node.Emit(Op::kLess, {node.Number(top, kNever), top}));
    taken.push_back(suppression.Take(scores));
  }
  const auto joined = [&](const std::vector<ValueId>& steps) {
    return steps.size() == 1 ? steps[0] : node.Emit(Op::kConcat, steps, {{"axis", int64_t{2}}});
  };
  const int64_t each = std::ssize(taken), rows = shape[0] * shape[1] * each;
  node.Require({DType::kInt64, {rows, 2}});
  Tensor where(TensorType{DType::kInt64, {rows, 2}});
  for (int64_t i = 0; i < rows; ++i) {
    where.mutable_data<int64_t>()[2 * i] = i / each / shape[1];
    where.mutable_data<int64_t>()[2 * i + 1] = i / each % shape[1];
  }
  const ValueId all = node.Emit(
      Op::kConcat,
      {node.AddConstant("classes", std::move(where)), node.Reshape(joined(taken), {rows, 1})},
      {{"axis", int64_t{1}}});
  ResultRows(node, all, node.Reshape(joined(found), {rows}), false);
}

/// Columns of the places of elements that are not 0; of a constant exactly those.
void ConvertNonZero(OnnxNode& node) {
  const TensorType type = node.Type(0);
  const int64_t rank = std::ssize(type.shape), count = Elements(type.shape);
  if (rank == 0) throw node.Fail("input shape", "[]", "must have a dimension");
  const Shape strides = Strides(type.shape);
  const auto place = [&](int64_t element, int64_t axis) {
    return element / strides[axis] % type.shape[axis];
  };
  if (node.IsConstant(0)) {
    const Tensor& x = node.Constant(0, "input");
    std::vector<int64_t> found;
    for (int64_t i = 0; i < count; ++i)
      if (x.At(i) != 0) found.push_back(i);
    Tensor places(TensorType{DType::kInt64, {rank, std::ssize(found)}});
    for (int64_t axis = 0; axis < rank; ++axis)
      for (size_t i = 0; i < found.size(); ++i)
        places.mutable_data<int64_t>()[axis * found.size() + i] = place(found[i], axis);
    node.ResultConstant(std::move(places));
    return;
  }
  node.Require({DType::kInt64, {count, rank}});
  Tensor all(TensorType{DType::kInt64, {count, rank}});
  for (int64_t i = 0; i < all.elements(); ++i)
    all.mutable_data<int64_t>()[i] = place(i / rank, i % rank);
  const ValueId x = node.Reshape(node.Input(0), {count});
  const ValueId found = type.dtype == DType::kBool
                            ? x
                            : node.Emit(Op::kNot, {node.Emit(Op::kEqual, {x, node.Number(x, 0)})});
  ResultRows(node, node.AddConstant("all", std::move(all)), found, true);
}

}  // namespace vta::compiler
