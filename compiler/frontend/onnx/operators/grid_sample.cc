// The converter of GridSample: elements of x at places that a grid names, as a rule between them.
#include "compiler/frontend/math.h"
#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/operators/cubic.h"
#include "compiler/horner.h"

namespace vta::compiler {
namespace {

/// A neighbour of the places along an axis: its index, what it counts, and whether it lies inside.
struct Neighbour {
  ValueId index, weight, inside;
};

class Sampler {
 public:
  explicit Sampler(OnnxNode& node)
      : node_(node),
        mode_(node.String("mode", node.opset() < 20 ? "bilinear" : "linear")),
        padding_(node.String("padding_mode", "zeros")),
        aligned_(node.Int("align_corners", 0) != 0) {
    if (mode_ == "bilinear") mode_ = "linear";
    if (mode_ == "bicubic") mode_ = "cubic";
    if (mode_ != "nearest" && mode_ != "linear" && mode_ != "cubic")
      throw node.Fail("attribute mode", mode_, "must be nearest, linear or cubic");
    if (padding_ != "zeros" && padding_ != "border" && padding_ != "reflection")
      throw node.Fail("attribute padding_mode", padding_, "must be zeros, border or reflection");
    x_ = node.InputShape(0), grid_ = node.InputShape(1);
    const int64_t axes = std::ssize(x_) - 2;
    constexpr int64_t kMostAxes = 3;  // neighbours are as many as powers of those of one
    if (axes < 1 || axes > kMostAxes || grid_.size() != x_.size() || grid_[0] != x_[0] ||
        grid_.back() != axes)
      throw node.Fail("grid shape", ToText(grid_),
                      StrCat("must name places of ", ToText(x_), " as [N,...,", axes,
                             "], of up to three spatial dimensions"));
  }

  /// [N, C, ...] of the grid's sizes.
  ValueId Run() {
    const int64_t axes = grid_.back(), channels = x_[1];
    const int64_t count = Elements(grid_) / axes, each = Elements(x_) / x_[0] / channels;
    const ValueId table = node_.Reshape(node_.Input(1), {count, axes});
    // Elements in rows of their channels, and where each place's picture starts among them.
    const ValueId planes = node_.Reshape(node_.Input(0), {x_[0], channels, each});
    rows_ = node_.Reshape(Turned(planes), {x_[0] * each, channels});
    Tensor starts = Places(count);
    for (int64_t& start : starts.mutable_data<int64_t>()) start = start / (count / x_[0]) * each;
    const ValueId first = node_.AddConstant("starts", std::move(starts).Reshaped({count, 1}));
    for (int64_t axis = 0; axis < axes; ++axis)  // the grid names the last axis first
      neighbours_.push_back(NeighboursOf(Slice(node_, table, 1, axes - 1 - axis, 1), x_[2 + axis]));
    Add(0, first, kNone, kNone);
    Shape shape = {x_[0], channels};
    shape.insert(shape.end(), grid_.begin() + 1, grid_.end() - 1);
    return node_.Reshape(Turned(node_.Reshape(sum_, {x_[0], count / x_[0], channels})), shape);
  }

 private:
  ValueId Turned(ValueId x) {
    return node_.Emit(Op::kTranspose, {x}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  }

  /// Mirrored at both ends until it lies between them.
  ValueId Reflected(ValueId place, double low, double high) {
    const Math m{node_, place};
    if (low == high) return m.Number(low);
    const ValueId away = m(Op::kAbs, m(Op::kSub, place, low));
    const ValueId turns = m(Op::kFloor, m(Op::kDiv, away, high - low));
    const ValueId rest = m(Op::kSub, away, m(Op::kMul, turns, high - low));
    const ValueId pairs = m(Op::kFloor, m(Op::kMul, turns, 0.5));
    const ValueId even = m(Op::kEqual, m(Op::kMul, pairs, 2.0), turns);
    return node_.Emit(Op::kWhere, {even, m(Op::kAdd, rest, low), m(Op::kSub, high, rest)});
  }

  ValueId Padded(ValueId place, int64_t size, bool is_index) {
    const double last = static_cast<double>(size) - 1, edge = aligned_ ? 0 : -0.5;
    const Math m{node_, place};
    if (padding_ == "reflection") place = Reflected(place, edge, last - edge);
    if (padding_ == "border" || is_index) place = m.Clip(place, 0, last);
    return place;
  }

  std::vector<Neighbour> NeighboursOf(ValueId named, int64_t size) {
    const Math m{node_, named};
    const auto extent = static_cast<double>(size);
    const ValueId half = m(Op::kMul, m(Op::kAdd, named, 1.0), 0.5);
    ValueId place =
        aligned_ ? m(Op::kMul, half, extent - 1) : m(Op::kSub, m(Op::kMul, half, extent), 0.5);
    if (mode_ == "nearest") return {At(Padded(m(Op::kRound, place), size, false), size, kNone)};
    place = Padded(place, size, false);
    const ValueId whole = m(Op::kFloor, place), rest = m(Op::kSub, place, whole);
    std::vector<Neighbour> neighbours;
    const int reach = mode_ == "linear" ? 1 : 2;
    for (int i = 1 - reach; i <= reach; ++i)
      neighbours.push_back(At(m(Op::kAdd, whole, 1.0 * i), size, Weight(rest, i)));
    return neighbours;
  }

  /// Of the neighbour `i` after a place that lies `rest` after the one before it.
  ValueId Weight(ValueId rest, int i) {
    constexpr double kA = -0.75;
    const Math m{node_, rest};
    const ValueId d = i > 0 ? m(Op::kSub, 1.0 * i, rest) : m(Op::kAdd, rest, -1.0 * i);
    if (mode_ == "linear") return m(Op::kSub, 1.0, d);
    return Horner(
        CubicWeight(kA, i == 0 || i == 1), [&](double c) { return m.Number(c); },
        [&](ValueId sum, double c) { return m(Op::kAdd, m(Op::kMul, sum, d), c); });
  }

  Neighbour At(ValueId place, int64_t size, ValueId weight) {
    const Math m{node_, place};
    ValueId inside = kNone;
    if (padding_ == "zeros")
      inside = m(Op::kAnd, m(Op::kLessEqual, 0.0, place),
                 m(Op::kLess, place, static_cast<double>(size)));
    const ValueId index = node_.Emit(Op::kCast, {Padded(place, size, true)}, {{"to", "int64"}});
    return {index, weight, inside};
  }

  /// Adds the products of the neighbours of all axes from `axis` on.
  void Add(size_t axis, ValueId row, ValueId weight, ValueId inside) {
    const auto join = [&](Op op, ValueId a, ValueId b) {
      if (a == kNone) return b;
      return b == kNone ? a : node_.Emit(op, {a, b});
    };
    if (axis < neighbours_.size()) {
      int64_t stride = 1;
      for (size_t i = axis + 3; i < x_.size(); ++i) stride *= x_[i];
      for (const Neighbour& n : neighbours_[axis]) {
        const ValueId step = node_.Number(n.index, static_cast<double>(stride));
        const ValueId moved = node_.Emit(Op::kMul, {n.index, step});
        Add(axis + 1, node_.Emit(Op::kAdd, {row, moved}), join(Op::kMul, weight, n.weight),
            join(Op::kAnd, inside, n.inside));
      }
      return;
    }
    const int64_t count = node_.type(row).shape[0];
    ValueId part =
        node_.Emit(Op::kGather, {rows_, node_.Reshape(row, {count})}, {{"axis", int64_t{0}}});
    part = join(Op::kMul, part, weight);  // which far away may be no number
    if (inside != kNone) part = node_.Emit(Op::kWhere, {inside, part, node_.Number(part, 0)});
    sum_ = join(Op::kAdd, sum_, part);
  }

  OnnxNode& node_;
  std::string mode_, padding_;
  bool aligned_;
  Shape x_, grid_;
  ValueId rows_ = kNone, sum_ = kNone;
  std::vector<std::vector<Neighbour>> neighbours_;
};

}  // namespace

void ConvertGridSample(OnnxNode& node) { node.Result(Sampler(node).Run()); }

}  // namespace vta::compiler
