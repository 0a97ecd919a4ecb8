// A network in memory, as vta.Model has it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/package.h"

namespace vta::python {

struct Model {
  std::string name;  // in errors
  compiler::Graph graph;
  std::vector<uint8_t> onnx = {};  // that it was imported from, where it was made here
};

/// As Python has them: (name, dtype, shape) of each.
nanobind::list TensorsOf(const std::vector<isa::PackageTensor>& tensors);

/// Errors: throws Error where ONNX has no operator for a part of it.
std::vector<uint8_t> OnnxOf(const Model& model);

/// What load_model takes besides a path: the bytes of a file, or an onnx.ModelProto; nothing of
/// what is neither.
std::optional<std::vector<uint8_t>> FileBytesOf(nanobind::handle source);

void BindModel(nanobind::module_& module);

}  // namespace vta::python
