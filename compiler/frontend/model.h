// Imports a model of any known format.
#pragma once

#include <span>
#include <string>

#include "compiler/frontend/import_options.h"
#include "compiler/graph/graph.h"

namespace vta::compiler {

/// The content says which format it is, not the name: TensorFlow Lite by its identifier, a workload
/// of shapes (compiler/frontend/workload.h) by its words, else ONNX.
/// The graph has the rounding of the kernels that such models are made for.
/// Errors: throws Error, as the format's importer.
Graph ImportModel(std::span<const uint8_t> bytes, const std::string& file,
                  const ImportOptions& options = {});
/// Reads the file whole and imports it; an ONNX model may have tensors in other files of its
/// folder.
Graph ImportModelFile(const std::string& path, const ImportOptions& options = {});

}  // namespace vta::compiler
