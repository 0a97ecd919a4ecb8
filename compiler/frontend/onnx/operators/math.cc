// Converters of matrix products and of conversions between types.
#include "compiler/frontend/onnx/operators.h"
#include "compiler/frontend/onnx/tensor.h"

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

void ConvertCast(OnnxNode& node) {
  const int64_t to = node.Int("to", 0);
  const auto dtype = DTypeFromOnnx(to);
  if (!dtype) throw node.Fail("attribute to", OnnxTypeName(to), "is not a supported element type");
  if (OnnxTypeName(to) == "BFLOAT16")  // whose 8 bits a float32 would not show
    throw node.Fail("attribute to", OnnxTypeName(to), "is supported for weights only");
  node.scope().Note(to);
  node.Ignore("saturate");  // these two say something about 8-bit floats only
  if (node.opset() >= 24) node.Ignore("round_mode");
  node.Result(node.Emit(Op::kCast, {node.Input(0)}, {{"to", std::string(Name(*dtype))}}));
}

}  // namespace vta::compiler
