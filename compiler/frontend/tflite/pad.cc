// Converters of padding.
#include <algorithm>

#include "compiler/frontend/tflite/operators.h"
#include "compiler/frontend/tflite/tflite_generated.h"

namespace vta::compiler {
namespace {

/// A row for each axis: how many before the first element and after the last. As an op of the graph
/// has them: first all of those before.
std::vector<int64_t> ReadPads(TfliteNode& node) {
  constexpr int64_t kMost = int64_t{1} << 31;
  const Tensor& pads = node.Constant(1, "input paddings");
  const int64_t rank = node.Rank(0);
  if (pads.shape() != Shape{rank, 2} || IsFloat(pads.dtype()))
    throw node.Fail("input paddings", ToText(pads.type()),
                    StrCat("must be integers of shape [", rank, ",2]"));
  std::vector<int64_t> list(2 * rank);
  for (int64_t i = 0; i < 2 * rank; ++i) {
    if (pads.At(i) < 0 || pads.At(i) >= static_cast<double>(kMost))
      throw node.Fail("input paddings", StrCat(pads.At(i)), "must be from 0 to 2^31 - 1");
    list[i / 2 + i % 2 * rank] = static_cast<int64_t>(pads.At(i));
  }
  return list;
}

ValueId Pad(TfliteNode& node, ValueId x, const std::string& mode, double value) {
  return node.Emit(Op::kPad, {x}, {{"mode", mode}, {"pads", ReadPads(node)}, {"value", value}});
}

}  // namespace

/// Of codes with their zero point.
void ConvertPad(TfliteNode& node) { node.Result(Pad(node, node.Real(0), "constant", 0)); }

/// With an element of the input's type: a code, where that has codes.
void ConvertPadV2(TfliteNode& node) {
  const double value = node.ConstantNumber(2, "input constant_values");
  if (node.Constant(2, "input constant_values").dtype() != node.Type(0).dtype)
    throw node.Fail("input constant_values",
                    ToText(node.Constant(2, "input constant_values").type()),
                    StrCat("must be of the input's type, ", Name(node.Type(0).dtype)));
  node.ResultStored(Pad(node, node.Stored(0), "constant", value));
}

/// With the elements in mirrored order, without that at the border or with it.
void ConvertMirrorPad(TfliteNode& node) {
  const bool border = node.Options<tflite_schema::MirrorPadOptions>().mode() ==
                      tflite_schema::MirrorPadMode::SYMMETRIC;
  const std::vector<int64_t> pads = ReadPads(node);
  const Shape x = node.InputShape(0);
  ValueId y = node.Stored(0);
  for (size_t axis = 0; axis < x.size(); ++axis) {
    const int64_t size = x[axis], before = pads[axis], after = pads[axis + x.size()];
    const int64_t most = border ? size : size - 1;
    if (before > most || after > most)
      throw node.Fail("input paddings", StrCat(std::max(before, after)),
                      StrCat("must be at most ", most, " for axis ", axis, " of ", ToText(x)));
    if (before == 0 && after == 0) continue;
    node.Require({DType::kInt64, {size + before + after}});
    std::vector<int64_t> places;
    for (int64_t i = -before; i < size + after; ++i)
      places.push_back(i < 0 ? -i - border : i < size ? i : 2 * size - 2 - i + border);
    const ValueId table =
        node.AddConstant("places", Tensor::Of<int64_t>({std::ssize(places)}, places));
    y = node.Emit(Op::kGather, {y, table}, {{"axis", static_cast<int64_t>(axis)}});
  }
  node.ResultStored(y);
}

}  // namespace vta::compiler
