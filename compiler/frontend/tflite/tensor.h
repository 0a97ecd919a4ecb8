// Tensors of a TensorFlow Lite model: types, constants, and how codes stand for reals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/tflite/file.h"

namespace vta::compiler {

/// The name, or one made of the number where there is none.
std::string TfliteTensorName(const tflite_schema::Tensor& tensor, int64_t number);

/// Errors: throws Error with the rule unless the graph IR has the type.
DType TfliteDType(const tflite_schema::Tensor& tensor);

/// The type of a constant. Errors: as TfliteDType, and where its dimensions are no shape.
TensorType TfliteConstantType(const tflite_schema::Tensor& tensor);

/// The data that the file gives the tensor; nothing where it gives none. FLOAT16 becomes float32.
/// Errors: throws Error unless its bytes are those that the type and the shape ask for.
std::optional<Tensor> ReadTfliteTensor(const tflite_schema::Model& model,
                                       const tflite_schema::Tensor& tensor);
/// Whether the file gives the tensor's data, or it has no elements.
bool IsTfliteConstant(const tflite_schema::Model& model, const tflite_schema::Tensor& tensor);

/// real = (code - zero_point) * scale: one of each for the whole tensor, or one for each index of
/// an axis.
struct TfliteScales {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;
  int64_t axis = 0;

  bool operator==(const TfliteScales&) const = default;
  bool PerTensor() const { return scales.size() == 1; }
};
/// Nothing where the tensor is not quantised.
/// Errors: throws Error unless every scale is positive and finite, every zero point is a code, and
/// there are as many as the axis has indices.
std::optional<TfliteScales> ReadTfliteScales(const tflite_schema::Tensor& tensor);

}  // namespace vta::compiler
