// Converters of arithmetic operators.
#include <limits>

#include "compiler/frontend/onnx_operators.h"
#include "compiler/frontend/onnx_tensor.h"

namespace vta::compiler {

void ConvertGemm(OnnxNode& node) {
  std::vector<ValueId> inputs = {node.Input(0), node.Input(1)};
  if (node.Has(2)) inputs.push_back(node.Input(2));
  node.Result(node.Emit(Op::kGemm, inputs,
                        {{"alpha", node.Float("alpha", 1)},
                         {"beta", node.Float("beta", 1)},
                         {"trans_a", int64_t{node.Int("transA", 0) != 0}},
                         {"trans_b", int64_t{node.Int("transB", 0) != 0}}}));
}

void ConvertMatMul(OnnxNode& node) {
  node.Result(node.Emit(Op::kMatMul, {node.Input(0), node.Input(1)}, {}));
}

void ConvertAdd(OnnxNode& node) {  // Sum is a chain of them
  ValueId sum = node.Input(0);
  for (int64_t i = 1; i < node.input_count(); ++i)
    sum = node.Emit(Op::kAdd, {sum, node.Input(i)}, {});
  node.Result(sum);
}

void ConvertMul(OnnxNode& node) {
  node.Result(node.Emit(Op::kMul, {node.Input(0), node.Input(1)}, {}));
}

void ConvertRelu(OnnxNode& node) { node.Result(node.Emit(Op::kRelu, {node.Input(0)}, {})); }

void ConvertClip(OnnxNode& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = -kInfinity, high = kInfinity;
  if (node.opset() < 11) {
    low = node.Float("min", low);
    high = node.Float("max", high);
  } else {
    if (node.Has(1)) low = node.ConstantNumber(1, "input min");
    if (node.Has(2)) high = node.ConstantNumber(2, "input max");
  }
  if (low != low || high != high) throw node.Fail("clip bounds", "nan", "must be numbers");
  node.Result(node.Emit(Op::kClip, {node.Input(0)}, {{"low", low}, {"high", high}}));
}

void ConvertSoftmax(OnnxNode& node) {
  const Shape shape = node.InputShape(0);
  const int64_t rank = static_cast<int64_t>(shape.size());
  const bool flattens = node.opset() < 13;
  const int64_t axis = node.Axis(node.Int("axis", flattens ? 1 : -1), rank);
  if (!flattens || axis == rank - 1) {
    node.Result(node.Emit(Op::kSoftmax, {node.Input(0)}, {{"axis", axis}}));
    return;
  }
  int64_t outer = 1;  // before opset 13, all axes from `axis` on are one
  for (int64_t i = 0; i < axis; ++i) outer *= shape[i];
  const Shape flat = {outer, Elements(shape) / outer};
  const ValueId x = node.Emit(Op::kReshape, {node.Input(0)}, {{"shape", flat}});
  const ValueId y = node.Emit(Op::kSoftmax, {x}, {{"axis", int64_t{1}}});
  node.Result(node.Emit(Op::kReshape, {y}, {{"shape", shape}}));
}

void ConvertReduceMean(OnnxNode& node) {
  const int64_t rank = static_cast<int64_t>(node.InputShape(0).size());
  const int64_t keepdims = node.Int("keepdims", 1);
  std::vector<int64_t> axes = node.opset() < 18 ? node.Ints("axes").value_or(std::vector<int64_t>{})
                              : node.Has(1)     ? node.ConstantInts(1, "input axes")
                                                : std::vector<int64_t>{};
  if (axes.empty()) {
    if (node.opset() >= 18 && node.Int("noop_with_empty_axes", 0) != 0) {
      node.Result(node.Emit(Op::kIdentity, {node.Input(0)}, {}));
      return;
    }
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  if (node.opset() >= 18) node.Ignore("noop_with_empty_axes");
  for (int64_t& axis : axes) axis = node.Axis(axis, rank);
  node.Result(node.Emit(Op::kReduceMean, {node.Input(0)},
                        {{"axes", axes}, {"keepdims", int64_t{keepdims != 0}}}));
}

void ConvertCast(OnnxNode& node) {
  const int64_t to = node.Int("to", 0);
  const auto dtype = DTypeFromOnnx(to);
  if (!dtype) throw node.Fail("attribute to", OnnxTypeName(to), "is not a supported element type");
  node.Ignore("saturate");  // these two say something about 8-bit floats only
  if (node.opset() >= 24) node.Ignore("round_mode");
  node.Result(node.Emit(Op::kCast, {node.Input(0)}, {{"to", std::string(Name(*dtype))}}));
}

}  // namespace vta::compiler
