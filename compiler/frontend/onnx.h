// Imports ONNX models (float, QDQ and QLinear; opsets up to 25, each operator from the opset on
// that its row names) into the graph IR.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vta::compiler {

inline constexpr int64_t kLeastOpset = 1, kMostOpset = 25;

struct OnnxOptions {
  /// Sizes of symbolic input dimensions, by their name in the model; one without a name is called
  /// INPUT[AXIS].
  std::map<std::string, int64_t> dimensions;
  /// The size of a symbolic first dimension that is not listed above.
  int64_t batch = 1;
  /// The most that all tensors of the model may take together.
  int64_t max_bytes = int64_t{2} << 30;
};

/// QLinear operators become dequantize, the real operator, quantize: one quantised form downstream.
/// Errors: throws Error naming `file`, the node with operator and opset, the value and the rule;
/// tensors whose bytes lie in another file are refused, and no file is opened.
Graph ImportOnnx(std::span<const uint8_t> bytes, const std::string& file,
                 const OnnxOptions& options = {});
/// Reads the file whole and imports it, with the tensors that it says lie in files of its folder.
Graph ImportOnnxFile(const std::string& path, const OnnxOptions& options = {});

/// A serialised TensorProto, such as the inputs of ONNX's test cases.
/// Errors: throws Error naming `file`.
Tensor ParseOnnxTensor(std::span<const uint8_t> bytes, const std::string& file);
/// Errors: throws Error for 2 GiB and more.
std::vector<uint8_t> SerializeOnnxTensor(const Tensor& tensor);

}  // namespace vta::compiler
