#include "compiler/frontend/onnx/absent.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

#include "compiler/frontend/onnx/external.h"
#include "compiler/frontend/onnx/tensor.h"
#include "compiler/frontend/random_weights.h"

namespace vta::compiler {
namespace {

constexpr Uniform kGain = {0.5, 1.5}, kOffset = {-0.1, 0.1};

bool IsTransposed(const onnx::NodeProto& gemm) {
  return std::ranges::any_of(
      gemm.attribute(), [](const auto& each) { return each.name() == "transB" && each.i() != 0; });
}

/// How many products of the weights make a sum.
int64_t Summed(const onnx::NodeProto& node, const Shape& shape) {
  const bool outputs_last =
      node.op_type() == "MatMul" || (node.op_type() == "Gemm" && !IsTransposed(node));
  const int64_t outputs = node.op_type() == "ConvTranspose" ? shape[1]
                          : outputs_last                    ? shape.back()
                                                            : shape[0];
  return std::max<int64_t>(Elements(shape) / outputs, 1);
}

Uniform RangeFor(const onnx::NodeProto& node, int input, const Shape& shape) {
  const bool is_normalisation = node.op_type() == "BatchNormalization";
  if (is_normalisation && (input == 1 || input == 4)) return kGain;  // its scale, its variance
  return shape.size() < 2 ? kOffset : WeightRange(Summed(node, shape));
}

}  // namespace

AbsentWeights::AbsentWeights(const onnx::GraphProto& graph, const ImportOptions& options,
                             const std::string& folder)
    : options_(options), folder_(folder) {
  if (!options.weights_seed) return;
  for (const onnx::NodeProto& node : graph.node())
    for (int i = 0; i < node.input_size(); ++i) uses_.try_emplace(node.input(i), Use{&node, i});
}

std::optional<Tensor> AbsentWeights::Of(const onnx::TensorProto& tensor,
                                        const std::string& where) const {
  if (!options_.weights_seed || !IsExternal(tensor) || HasExternal(tensor, folder_, where))
    return std::nullopt;
  const TensorType type = ReadOnnxType(tensor, where);
  const bool is_real = type.dtype == DType::kFloat32 || type.dtype == DType::kFloat64;
  if (!is_real || type.shape.empty() || !CheckedElements(type.shape))
    throw Error(where, StrCat("tensor \"", tensor.name(), "\", whose file is missing"),
                ToText(type), "only weights in floating point can be made up");
  const auto use = uses_.find(tensor.name());
  const Uniform range =
      use == uses_.end() ? kOffset : RangeFor(*use->second.node, use->second.input, type.shape);
  if (options_.on_random_weights) options_.on_random_weights(tensor.name());
  return RandomTensor(type, range, *options_.weights_seed, tensor.name());
}

}  // namespace vta::compiler
