// Converters of ONNX's quantisation operators. The QLinear ones become dequantize, real op,
// quantize.
#include "compiler/frontend/onnx/operators/quantized.h"

#include <cmath>

#include "compiler/frontend/onnx/blocks.h"
#include "compiler/frontend/onnx/operators/window.h"
#include "compiler/frontend/onnx/tensor.h"

namespace vta::compiler {

Scales ReadScales(OnnxNode& node, int64_t scale_input, int64_t zero_input, DType otherwise) {
  Tensor scale = node.Constant(scale_input, "scale");
  if (scale.dtype() != DType::kFloat32)
    throw node.Fail("scale type", std::string(Name(scale.dtype())), "must be float32");
  if (scale.elements() == 1) scale = scale.Reshaped({});
  if (scale.shape().size() > 1)
    throw node.Fail("scale shape", ToText(scale.shape()), "must have at most one dimension");
  if (scale.elements() == 0) throw node.Fail("scale", "empty", "must have an element");
  for (float v : scale.data<float>()) {
    if (!std::isfinite(v) || v <= 0)
      throw node.Fail("scale", StrCat(double{v}), "must be positive and finite");
  }
  Tensor zero(TensorType{otherwise, scale.shape()});
  if (node.Has(zero_input)) {
    const Tensor& given = node.Constant(zero_input, "zero point");
    zero = Tensor(TensorType{given.dtype(), scale.shape()});
    if (given.elements() != 1 && given.elements() != zero.elements())
      throw node.Fail("zero point shape", ToText(given.shape()),
                      StrCat("must be the scale's ", ToText(scale.shape())));
    const int64_t size = Bytes(given.dtype());
    for (int64_t i = 0; i < static_cast<int64_t>(zero.bytes().size()); ++i)
      zero.mutable_bytes()[i] = given.bytes()[given.elements() == 1 ? i % size : i];
  }
  return {node.AddConstant("scale", scale), node.AddConstant("zero_point", std::move(zero)), scale};
}

ValueId Dequantize(OnnxNode& node, int64_t input, int64_t axis) {
  const Scales s = ReadScales(node, input + 1, input + 2, node.Type(input).dtype);
  return node.Emit(Op::kDequantize, {node.Input(input), s.scale, s.zero_point}, {{"axis", axis}});
}

ValueId DequantizeBias(OnnxNode& node, int64_t input, int64_t x_scale, int64_t w_scale,
                       float factor) {
  const float x = ReadScales(node, x_scale, x_scale + 1, DType::kInt8).values.data<float>()[0];
  Tensor scale = ReadScales(node, w_scale, w_scale + 1, DType::kInt8).values;
  for (float& v : scale.mutable_data<float>()) {
    v *= x * factor;
    if (!std::isfinite(v) || v <= 0)
      throw node.Fail("scale of the bias", StrCat(double{v}),
                      "the input's times the weights' must be positive and finite");
  }
  const ValueId zero = node.AddConstant("bias_zero", Tensor({DType::kInt32, scale.shape()}));
  return node.Emit(Op::kDequantize,
                   {node.Input(input), node.AddConstant("bias_scale", scale), zero},
                   {{"axis", int64_t{0}}});
}

void ResultQuantized(OnnxNode& node, ValueId real, int64_t scale_input, DType otherwise) {
  const int64_t zero_input = scale_input + 1;
  const Scales s = ReadScales(node, scale_input, zero_input, otherwise);
  node.Result(node.Emit(Op::kQuantize, {real, s.scale, s.zero_point}, {{"axis", int64_t{0}}}));
}

namespace {

/// The axis attribute, where the scale is per axis; 0 otherwise.
int64_t ScaleAxis(OnnxNode& node) {
  const int64_t axis = node.Int("axis", 1);
  const bool per_axis = node.Constant(1, "scale").elements() != 1;
  return per_axis ? node.Axis(axis, static_cast<int64_t>(node.InputShape(0).size())) : 0;
}

/// An attribute that came with opset 23 and says in which element type to compute: 0 is the
/// scale's. All floats are computed in float32.
void RequireFloat(OnnxNode& node, const std::string& attribute) {
  const int64_t type = node.opset() < 23 ? 0 : node.Int(attribute, 0);
  const auto dtype = DTypeFromOnnx(type);
  if (type != 0 && !(dtype && IsFloat(*dtype)))
    throw node.Fail("attribute " + attribute, OnnxTypeName(type), "must be a float type");
}

}  // namespace

void ConvertQuantizeLinear(OnnxNode& node) {
  if (const int64_t size = node.Int("block_size", 0); size != 0)
    throw node.Fail("attribute block_size", StrCat(size),
                    "activations are not quantised in blocks");
  RequireFloat(node, "precision");
  node.Ignore("saturate");  // says something about 8-bit floats only
  DType otherwise = DType::kUint8;
  if (const int64_t to = node.Int("output_dtype", 0); to != 0 && !node.Has(2)) {
    constexpr int64_t kOnnxInt8 = 3, kOnnxUint8 = 2;
    if (to != kOnnxInt8 && to != kOnnxUint8)
      throw node.Fail("attribute output_dtype", StrCat(to), "must be INT8 or UINT8");
    otherwise = to == kOnnxInt8 ? DType::kInt8 : DType::kUint8;
  }
  const int64_t axis = ScaleAxis(node);
  const Scales s = ReadScales(node, 1, 2, otherwise);
  node.Result(node.Emit(Op::kQuantize, {node.Input(0), s.scale, s.zero_point}, {{"axis", axis}}));
}

void ConvertDequantizeLinear(OnnxNode& node) {
  RequireFloat(node, "output_dtype");
  if (const int64_t size = node.Int("block_size", 0); size != 0) {
    const int64_t axis = node.Axis(node.Int("axis", 1), node.Rank(0));
    node.Result(DequantizeBlocks(
        node, {node.Input(0), node.Input(1), node.Has(2) ? node.Input(2) : kNone, axis, size}));
    return;
  }
  node.Result(Dequantize(node, 0, ScaleAxis(node)));
}

void ConvertQLinearConv(OnnxNode& node) {
  std::vector<ValueId> inputs = {Dequantize(node, 0, 0), Dequantize(node, 3, 0)};
  if (node.Int("channels_last", 0) != 0)
    throw node.Fail("attribute channels_last", "1", "must be 0");
  if (node.Has(8)) inputs.push_back(DequantizeBias(node, 8, 1, 4));
  ResultQuantized(node, EmitConv(node, inputs), 6);
}

void ConvertQLinearMatMul(OnnxNode& node) {
  const int64_t a_axis = std::max<int64_t>(static_cast<int64_t>(node.InputShape(0).size()) - 2, 0);
  const int64_t b_axis = static_cast<int64_t>(node.InputShape(3).size()) - 1;
  const ValueId a = Dequantize(node, 0, a_axis), b = Dequantize(node, 3, b_axis);
  ResultQuantized(node, node.Emit(Op::kMatMul, {a, b}, {}), 6);
}

}  // namespace vta::compiler
