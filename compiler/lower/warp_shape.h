// The matrices that a warp of a GPU multiplies with one instruction, and how its threads lie on
// them.
#pragma once

#include <cstdint>

namespace vta::compiler::lower {

/// Outputs by places; and the threads, rows by columns. A thread has what lies a multiple of the
/// rows apart of the outputs, and places side by side.
inline constexpr int64_t kTensorOutputs = 16, kTensorPlaces = 8;
inline constexpr int64_t kTensorRows = 8, kTensorThreads = 4;
inline constexpr int64_t kTensorHalves = kTensorOutputs / kTensorRows;
inline constexpr int64_t kTensorBeside = kTensorPlaces / kTensorThreads;

}  // namespace vta::compiler::lower
