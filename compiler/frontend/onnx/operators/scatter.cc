// Converters of operators that put updates into a tensor: of rows of it, by their number. Where the
// numbers are constants, an update is gathered to its row; else each row looks for its updates.
#include <algorithm>
#include <limits>
#include <span>

#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {
namespace {

/// How an update and what is there become one.
struct Combination {
  bool overwrites;
  Op op, reduce;   // of two elements, and of all along an axis
  double neutral;  // saturated to the type
};

Combination ReadCombination(OnnxNode& node, int64_t since) {
  const double most = std::numeric_limits<double>::infinity();
  const std::string name = node.opset() < since ? "none" : node.String("reduction", "none");
  if (name == "none") return {true, Op::kAdd, Op::kReduceSum, 0};
  if (name == "add") return {false, Op::kAdd, Op::kReduceSum, 0};
  if (name == "mul") return {false, Op::kMul, Op::kReduceSum, 1};
  if (name == "max") return {false, Op::kMax, Op::kReduceMax, -most};
  if (name == "min") return {false, Op::kMin, Op::kReduceMin, most};
  throw node.Fail("attribute reduction", name, "must be none, add, mul, max or min");
}

/// Rows of a tensor, updates of rows, and for each the number of its row.
struct Rows {
  ValueId data, updates, places;  // [rows, size], [count, size], [count]
};

/// Rows that several updates name take one in turn, the first first.
ValueId ScatterKnown(OnnxNode& node, const Rows& r, const Combination& how) {
  const auto places = node.constant(r.places)->data<int64_t>();
  const int64_t rows = node.type(r.data).shape[0];
  std::vector<std::vector<int64_t>> turns;  // by row the update, or kNone
  std::vector<size_t> taken(rows, 0);
  for (size_t i = 0; i < places.size(); ++i) {
    const int64_t row = places[i];
    const size_t turn = how.overwrites ? 0 : taken[row]++;
    if (turn == turns.size()) turns.emplace_back(rows, kNone);
    turns[turn][row] = static_cast<int64_t>(i);
  }
  ValueId y = r.data;
  for (std::vector<int64_t>& turn : turns) {
    Tensor named(TensorType{DType::kBool, {rows, 1}});
    for (int64_t row = 0; row < rows; ++row) {
      named.mutable_data<bool>()[row] = turn[row] != kNone;
      turn[row] = std::max<int64_t>(turn[row], 0);
    }
    const ValueId from = node.AddConstant("updates", Tensor::Of({rows}, turn));
    ValueId incoming = node.Emit(Op::kGather, {r.updates, from}, {{"axis", int64_t{0}}});
    if (!how.overwrites) incoming = node.Emit(how.op, {y, incoming});
    y = node.Emit(Op::kWhere, {node.AddConstant("named", std::move(named)), incoming, y});
  }
  return y;
}

/// [rows, count]: whether an update is the row's.
ValueId Owned(OnnxNode& node, const Rows& r) {
  const int64_t rows = node.type(r.data).shape[0], count = node.type(r.places).shape[0];
  const ValueId all = node.AddConstant("rows", Places(rows).Reshaped({rows, 1}));
  return node.Emit(Op::kEqual, {all, node.Reshape(r.places, {1, count})});
}

/// Each row takes the last of its updates.
ValueId Overwrite(OnnxNode& node, const Rows& r) {
  const int64_t rows = node.type(r.data).shape[0];
  const ValueId owned = node.Emit(Op::kCast, {Owned(node, r)}, {{"to", "int8"}});
  const ValueId last =
      node.Emit(Op::kArgMax, {owned}, {{"axis", int64_t{1}}, {"last", int64_t{1}}});
  const ValueId any = node.Emit(Op::kReduceMax, {owned},
                                {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{1}}});
  const ValueId named = node.Emit(Op::kLess, {node.Number(any, 0), any});
  const ValueId incoming =
      node.Emit(Op::kGather, {r.updates, node.Reshape(last, {rows})}, {{"axis", int64_t{0}}});
  return node.Emit(Op::kWhere, {named, incoming, r.data});
}

/// Each row takes all of its updates, and of the others what changes nothing.
ValueId Accumulate(OnnxNode& node, const Rows& r, const Combination& how) {
  const int64_t rows = node.type(r.data).shape[0];
  const Shape updates = node.type(r.updates).shape;
  const ValueId owned = node.Reshape(Owned(node, r), {rows, updates[0], 1});
  const ValueId spread =
      node.Emit(Op::kWhere, {owned, node.Reshape(r.updates, {1, updates[0], updates[1]}),
                             node.Number(r.updates, how.neutral)});
  const ValueId all =
      how.op == Op::kMul ? ProductAlong(node, spread, {1})
                         : node.Emit(how.reduce, {spread},
                                     {{"axes", std::vector<int64_t>{1}}, {"keepdims", int64_t{1}}});
  return node.Emit(how.op, {r.data, node.Reshape(all, {rows, updates[1]})});
}

/// How many updates the row has that has most.
int64_t MostOfARow(std::span<const int64_t> places) {
  std::vector<int64_t> sorted(places.begin(), places.end());
  std::ranges::sort(sorted);
  int64_t most = 0, run = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

ValueId Scatter(OnnxNode& node, const Rows& r, const Combination& how) {
  constexpr int64_t kMostTurns = 64;
  const Tensor* const known = node.constant(r.places);
  if (known && (how.overwrites || MostOfARow(known->data<int64_t>()) <= kMostTurns))
    return ScatterKnown(node, r, how);
  return how.overwrites ? Overwrite(node, r) : Accumulate(node, r, how);
}

}  // namespace

void ConvertScatterND(OnnxNode& node) {
  constexpr int64_t kReductionSince = 16;
  const Shape x = node.InputShape(0), updates = node.InputShape(2);
  const NamedPlaces named = PlacesOf(node, x, node.Input(1), 0);
  Shape asked = node.InputShape(1);
  asked.pop_back();
  asked.insert(asked.end(), named.rest.begin(), named.rest.end());
  if (updates != asked)
    throw node.Fail("updates shape", ToText(updates), StrCat("must be ", ToText(asked)));
  const int64_t size = Elements(named.rest);
  const Rows rows{node.Reshape(node.Input(0), {named.count, size}),
                  node.Reshape(node.Input(2), {Elements(updates) / size, size}), named.places};
  const Combination how = ReadCombination(node, kReductionSince);
  node.Result(node.Reshape(Scatter(node, rows, how), x));
}

/// Rows of one element each.
void ConvertScatterElements(OnnxNode& node) {
  constexpr int64_t kReductionSince = 16;
  const Shape x = node.InputShape(0), chosen = node.InputShape(1);
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0)), count = Elements(chosen);
  bool fits = chosen.size() == x.size() && node.InputShape(2) == chosen;
  for (size_t i = 0; fits && i < x.size(); ++i)
    fits = static_cast<int64_t>(i) == axis || chosen[i] <= x[i];
  if (!fits)
    throw node.Fail("indices shape", ToText(chosen),
                    StrCat("must be the updates' and fit in ", ToText(x), " but for axis ", axis));
  // Where a line of indices starts, and from there as many lines on as the index says.
  const Shape strides = Strides(x), own = Strides(chosen);
  Tensor starts(TensorType{DType::kInt64, chosen});
  for (int64_t i = 0; i < count; ++i)
    for (size_t d = 0; d < x.size(); ++d)
      if (static_cast<int64_t>(d) != axis)
        starts.mutable_data<int64_t>()[i] += i / own[d] % chosen[d] * strides[d];
  const ValueId index = FromTheFront(node, node.Input(1), {x[axis]});
  const ValueId along =
      node.Emit(Op::kMul, {index, node.Number(index, static_cast<double>(strides[axis]))});
  const ValueId places =
      node.Emit(Op::kAdd, {along, node.AddConstant("starts", std::move(starts))});
  const Rows rows{node.Reshape(node.Input(0), {Elements(x), 1}),
                  node.Reshape(node.Input(2), {count, 1}), node.Reshape(places, {count})};
  node.Result(node.Reshape(Scatter(node, rows, ReadCombination(node, kReductionSince)), x));
}

}  // namespace vta::compiler
