// Converters of operators that choose elements by indices.
#include "compiler/frontend/onnx/operators.h"

namespace vta::compiler {

void ConvertGather(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0));
  CheckIndices(node, node.Input(1), {node.InputShape(0)[axis]});
  node.Result(node.Emit(Op::kGather, {node.Input(0), node.Input(1)}, {{"axis", axis}}));
}

void ConvertGatherElements(OnnxNode& node) {
  const int64_t axis = node.Axis(node.Int("axis", 0), node.Rank(0));
  const Shape x = node.InputShape(0), indices = node.InputShape(1);
  bool fits = indices.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i)
    fits = static_cast<int64_t>(i) == axis || indices[i] <= x[i];
  if (!fits)
    throw node.Fail("indices shape", ToText(indices),
                    StrCat("must fit in ", ToText(x), " but for axis ", axis));
  node.Result(GatherAlong(node, node.Input(0), node.Input(1), axis));
}

void ConvertGatherND(OnnxNode& node) {
  const int64_t batches = node.opset() < 12 ? 0 : node.Int("batch_dims", 0);
  node.Result(GatherNd(node, node.Input(0), node.Input(1), batches));
}

void ConvertOneHot(OnnxNode& node) {
  const Shape x = node.InputShape(0);
  const int64_t rank = static_cast<int64_t>(x.size()) + 1;
  const int64_t axis = node.Axis(node.Int("axis", -1), rank);
  const auto depth = static_cast<int64_t>(node.ConstantNumber(1, "input depth"));
  constexpr int64_t kMostDepth = 1 << 24;
  if (depth < 1 || depth > kMostDepth)
    throw node.Fail("input depth", StrCat(depth), "must be from 1 to 2^24");
  if (node.InputShape(2) != Shape{2})
    throw node.Fail("values shape", ToText(node.InputShape(2)), "must be [2]");
  const auto value = [&](int64_t i) {
    return node.Reshape(Slice(node, node.Input(2), 0, i, 1), {});
  };
  node.Result(OneHot(node, node.Input(0), depth, axis, value(1), value(0)));
}

}  // namespace vta::compiler
