// Weights for models that come without theirs: random ones.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/graph/tensor.h"

namespace vta::compiler {

/// Where random numbers lie, all of it as likely.
struct Uniform {
  double low = 0, high = 1;
};

/// For weights of which `summed` products make a sum: behind a rectifier such sums have the mean
/// square of what was multiplied, so that values neither grow nor vanish from layer to layer.
/// Source: He et al., "Delving Deep into Rectifiers", 2015, equation 10.
Uniform WeightRange(int64_t summed);

/// Numbers that depend on seed, name and shape alone, on every machine alike.
/// Errors: aborts where the type is no floating-point one.
Tensor RandomTensor(const TensorType& type, const Uniform& range, uint64_t seed,
                    std::string_view name);

}  // namespace vta::compiler
