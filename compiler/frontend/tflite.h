// Imports TensorFlow Lite models (float, int8 and uint8) into the graph IR.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/graph.h"

namespace vta::compiler {

using TfliteOptions = ImportOptions;

/// Whether the bytes begin as such a model does.
bool IsTflite(std::span<const uint8_t> bytes);

/// Quantised operators become dequantize, the real operator, quantize: one quantised form
/// downstream. Pictures are NHWC in such models; transposes stand round what is NCHW here. The
/// graph rounds as TFLite's reference kernels do.
/// Errors: throws Error naming `file`, the operator with its number and name, the value and the
/// rule.
Graph ImportTflite(std::span<const uint8_t> bytes, const std::string& file,
                   const TfliteOptions& options = {});

}  // namespace vta::compiler
