// Converters of operators that rename, join or repeat elements: codes stay codes.
#include <algorithm>

#include "compiler/frontend/indexing.h"
#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

namespace schema = tflite_schema;

/// The shape that is asked for, with the size that is left open.
Shape Closed(TfliteNode& node, Shape shape, const Shape& x) {
  const std::string asked = ToText(shape);
  const auto open = std::ranges::find(shape, -1);
  if (open != shape.end()) *open = 1;
  const auto known = CheckedElements(shape);
  if (open != shape.end() && known && Elements(x) % *known == 0) *open = Elements(x) / *known;
  if (CheckedElements(shape) != Elements(x))
    throw node.Fail("shape", asked, StrCat("must keep the elements of ", ToText(x)));
  return shape;
}

void ResultReshaped(TfliteNode& node, const Shape& shape) {
  node.ResultStored(node.Emit(Op::kReshape, {node.Stored(0)}, {{"shape", shape}}));
}

/// Integers of the output's type, known at compile time.
void ResultInts(TfliteNode& node, const Shape& shape, const std::vector<int64_t>& values) {
  if (node.OutputType() == DType::kInt64) {
    node.ResultConstant(Tensor::Of<int64_t>(shape, values));
  } else {
    node.ResultConstant(Tensor::Of<int32_t>(shape, {values.begin(), values.end()}));
  }
}

Shape ReadShape(TfliteNode& node, int64_t input, const char* what) {
  return CheckedShape(node, node.ConstantInts(input, what), what);
}

}  // namespace

/// An input says the shape, or else the options do.
void ConvertReshape(TfliteNode& node) {
  const auto& options = node.Options<schema::ReshapeOptions>();
  Shape shape;
  if (node.Has(1)) {
    shape = node.ConstantInts(1, "input shape");
  } else if (options.new_shape()) {
    shape.assign(options.new_shape()->begin(), options.new_shape()->end());
  }
  ResultReshaped(node, Closed(node, shape, node.InputShape(0)));
}

/// The axes that are named, or all of size 1.
void ConvertSqueeze(TfliteNode& node) {
  const auto* named = node.Options<schema::SqueezeOptions>().squeeze_dims();
  const Shape x = node.InputShape(0);
  std::vector<bool> drop(x.size());
  for (size_t i = 0; i < x.size(); ++i) drop[i] = x[i] == 1 && (!named || named->size() == 0);
  for (uint32_t i = 0; named && i < named->size(); ++i) {
    const int64_t axis = node.Axis(named->Get(i), node.Rank(0));
    if (x[axis] != 1)
      throw node.Fail("squeeze_dims", StrCat(axis), StrCat("must be of size 1 in ", ToText(x)));
    drop[axis] = true;
  }
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i)
    if (!drop[i]) shape.push_back(x[i]);
  ResultReshaped(node, shape);
}

void ConvertExpandDims(TfliteNode& node) {
  const int64_t asked = node.ConstantInt(1, "input axis");
  Shape shape = node.InputShape(0);
  shape.insert(shape.begin() + node.Axis(asked, node.Rank(0) + 1), 1);
  ResultReshaped(node, shape);
}

void ConvertTranspose(TfliteNode& node) {
  node.ResultStored(
      node.Emit(Op::kTranspose, {node.Stored(0)}, {{"perm", node.ConstantInts(1, "input perm")}}));
}

/// Of codes of different scales: new codes.
void ConvertConcatenation(TfliteNode& node) {
  const auto& options = node.Options<schema::ConcatenationOptions>();
  const int activation = static_cast<int>(options.fused_activation_function());
  const int64_t axis = node.Axis(options.axis(), node.Rank(0));
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.Real(i));
  node.Result(Activate(node, node.Emit(Op::kConcat, inputs, {{"axis", axis}}), activation));
}

void ConvertPack(TfliteNode& node) {
  const int64_t axis = node.Axis(node.Options<schema::PackOptions>().axis(), node.Rank(0) + 1);
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < node.input_count(); ++i) {
    Shape shape = node.InputShape(i);
    if (shape != node.InputShape(0))
      throw node.Fail(StrCat("input ", i, " shape"), ToText(shape),
                      StrCat("must be ", ToText(node.InputShape(0))));
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(node.Reshape(node.Stored(i), shape));
  }
  node.ResultStored(node.Emit(Op::kConcat, parts, {{"axis", axis}}));
}

void ConvertTile(TfliteNode& node) {
  const Shape x = node.InputShape(0), repeats = ReadShape(node, 1, "input multiples");
  if (repeats.size() != x.size())
    throw node.Fail("input multiples", ToText(repeats), StrCat("must be ", x.size(), " integers"));
  Shape apart, repeated, joined;
  for (size_t i = 0; i < x.size(); ++i) {
    apart.insert(apart.end(), {1, x[i]});
    repeated.insert(repeated.end(), {repeats[i], x[i]});
  }
  const ValueId all =
      node.Emit(Op::kExpand, {node.Reshape(node.Stored(0), apart)}, {{"shape", repeated}});
  for (size_t i = 0; i < x.size(); ++i) joined.push_back(repeats[i] * x[i]);
  node.ResultStored(node.Reshape(all, joined));
}

void ConvertBroadcastTo(TfliteNode& node) {
  node.ResultStored(
      node.Emit(Op::kExpand, {node.Stored(0)}, {{"shape", ReadShape(node, 1, "input shape")}}));
}

void ConvertFill(TfliteNode& node) {
  const Shape shape = ReadShape(node, 0, "input dims");
  const ValueId one = node.Reshape(node.Stored(1), Shape(shape.size(), 1));
  node.ResultStored(node.Emit(Op::kExpand, {one}, {{"shape", shape}}));
}

void ConvertZerosLike(TfliteNode& node) {
  node.ResultConstant(Tensor(TensorType{node.OutputType(), node.InputShape(0)}));
}

void ConvertRange(TfliteNode& node) {
  const double delta = node.ConstantNumber(2, "input delta");
  auto range = RangeOf(node.ConstantNumber(0, "input start"), node.ConstantNumber(1, "input limit"),
                       delta, node.OutputType());
  if (!range)
    throw node.Fail("input delta", StrCat(delta), "must lead to the limit in 2^24 steps or fewer");
  node.ResultConstant(*std::move(range));
}

void ConvertShape(TfliteNode& node) { ResultInts(node, {node.Rank(0)}, node.InputShape(0)); }

void ConvertRank(TfliteNode& node) { ResultInts(node, {}, {node.Rank(0)}); }

}  // namespace vta::compiler
