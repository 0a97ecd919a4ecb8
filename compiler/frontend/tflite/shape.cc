// Converters of operators that move elements or only rename them: codes stay codes.
#include <algorithm>

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
  const Shape x = node.InputShape(0);
  node.ResultStored(node.Emit(Op::kReshape, {node.Stored(0)}, {{"shape", Closed(node, shape, x)}}));
}

void ConvertConcatenation(TfliteNode& node) {
  const auto& options = node.Options<schema::ConcatenationOptions>();
  const int activation = static_cast<int>(options.fused_activation_function());
  const int64_t axis = node.Axis(options.axis(), node.Rank(0));
  std::vector<ValueId> inputs;
  for (int64_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.Real(i));
  node.Result(Activate(node, node.Emit(Op::kConcat, inputs, {{"axis", axis}}), activation));
}

/// Of codes with their zero point.
void ConvertPad(TfliteNode& node) {
  const Tensor& pads = node.Constant(1, "input paddings");
  const int64_t rank = node.Rank(0);
  if (pads.shape() != Shape{rank, 2})
    throw node.Fail("input paddings", ToText(pads.type()), StrCat("must be [", rank, ",2]"));
  std::vector<int64_t> list(2 * rank);
  for (int64_t i = 0; i < 2 * rank; ++i)
    list[i / 2 + i % 2 * rank] = static_cast<int64_t>(pads.At(i));
  node.Result(node.Emit(Op::kPad, {node.Real(0)},
                        {{"mode", std::string("constant")}, {"pads", list}, {"value", 0.0}}));
}

}  // namespace vta::compiler
