// Converters of the quantised operators of ONNX Runtime's own domain: dequantize, the real
// operator, quantize.
#include "compiler/frontend/onnx/operators/quantized.h"

namespace vta::compiler {
namespace {

/// The opset of ONNX whose operators these stand for, where they do not say it.
constexpr int64_t kOpset = 13;

/// quantize(operator(dequantize(x))): x, its scale and zero point, then those of the result.
void ConvertUnary(OnnxNode& node, OnnxConverter convert, int64_t opset = kOpset) {
  const ValueId result = node.As(convert, {Dequantize(node, 0, 0)}, opset);
  ResultQuantized(node, result, 3, node.Type(0).dtype);
}

void RefuseChannelsLast(OnnxNode& node) {
  if (node.Int("channels_last", 0) != 0)
    throw node.Fail("attribute channels_last", "1", "must be 0");
}

}  // namespace

void ConvertQLinearAdd(OnnxNode& node) {
  const ValueId a = Dequantize(node, 0, 0), b = Dequantize(node, 3, 0);
  ResultQuantized(node, node.Emit(Op::kAdd, {a, b}), 6, node.Type(0).dtype);
}

void ConvertQLinearMul(OnnxNode& node) {
  const ValueId a = Dequantize(node, 0, 0), b = Dequantize(node, 3, 0);
  ResultQuantized(node, node.Emit(Op::kMul, {a, b}), 6, node.Type(0).dtype);
}

void ConvertQLinearWhere(OnnxNode& node) {
  const ValueId x = Dequantize(node, 1, 0), y = Dequantize(node, 4, 0);
  ResultQuantized(node, node.Emit(Op::kWhere, {node.Input(0), x, y}), 7);
}

void ConvertQLinearSigmoid(OnnxNode& node) {
  const ValueId result = node.Emit(Op::kSigmoid, {Dequantize(node, 0, 0)});
  ResultQuantized(node, result, 3, node.Type(0).dtype);
}

void ConvertQLinearLeakyRelu(OnnxNode& node) { ConvertUnary(node, ConvertLeakyRelu); }

void ConvertQLinearReduceMean(OnnxNode& node) { ConvertUnary(node, ConvertReduceMean); }

void ConvertQLinearSoftmax(OnnxNode& node) {
  const int64_t opset = node.Int("opset", 0);
  if (opset < kLeastOpset || opset > kMostOpset)
    throw node.Fail("attribute opset", StrCat(opset),
                    StrCat("must be ", kLeastOpset, " to ", kMostOpset));
  ConvertUnary(node, ConvertSoftmax, opset);
}

void ConvertQLinearAveragePool(OnnxNode& node) {
  RefuseChannelsLast(node);
  ConvertUnary(node, ConvertAveragePool);
}

void ConvertQLinearGlobalAveragePool(OnnxNode& node) {
  RefuseChannelsLast(node);
  ConvertUnary(node, ConvertGlobalAveragePool);
}

/// The result's scale and zero point, then each part with its own.
void ConvertQLinearConcat(OnnxNode& node) {
  std::vector<ValueId> parts;
  if (node.input_count() % 3 != 2)
    throw node.Fail("inputs", StrCat(node.input_count()),
                    "must be two, and three for each of the parts");
  for (int64_t i = 2; i < node.input_count(); i += 3) parts.push_back(Dequantize(node, i, 0));
  ResultQuantized(node, node.As(ConvertConcat, parts, kOpset), 0);
}

/// The result stays real where it has no scale.
void ConvertQGemm(OnnxNode& node) {
  const bool by_rows = node.Int("transB", 0) != 0;
  std::vector<ValueId> operands = {Dequantize(node, 0, 0), Dequantize(node, 3, by_rows ? 0 : 1)};
  const auto alpha = static_cast<float>(node.Float("alpha", 1));
  if (node.Has(6)) operands.push_back(DequantizeBias(node, 6, 1, 4, alpha));
  const ValueId real = node.As(ConvertGemm, operands, kOpset);
  if (node.Has(7)) {
    ResultQuantized(node, real, 7);
  } else {
    node.Result(real);
  }
}

}  // namespace vta::compiler
