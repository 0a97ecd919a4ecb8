// Which steps find the bytes of an input or an output, so that they may find them in memory of the
// caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/package.h"

namespace vta::runtime {

/// An argument of a step: its inputs, then its outputs.
struct TensorUse {
  int64_t step = 0, argument = 0;
  int64_t offset_bytes = 0;  // behind the tensor's first byte

  bool operator==(const TensorUse&) const = default;
};

/// All that reads an input's bytes, kernels of this CPU and copies to a GPU. Nothing where a
/// program reads some, a kernel's argument holds others as well, or an output of the model has
/// some: then they must lie in the arena.
std::optional<std::vector<TensorUse>> UsesOfInput(const isa::Package& package, int64_t input);

/// All that writes the bytes that an output has at the end, or reads them before. Nothing where
/// they are not all made by kernels of this CPU or copies from a GPU, or as of an input.
std::optional<std::vector<TensorUse>> UsesOfOutput(const isa::Package& package, int64_t output);

}  // namespace vta::runtime
