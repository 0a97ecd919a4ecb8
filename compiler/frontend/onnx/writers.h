// What the graph's ops are in ONNX: one table, a row an op that has a counterpart there.
#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/frontend/onnx/writer.h"

namespace vta::compiler {

inline constexpr int64_t kLeastWrittenOpset = 13;

/// A bit for each element type.
using TypeSet = uint16_t;
constexpr TypeSet SetOf(DType dtype) { return 1 << static_cast<int>(dtype); }

struct OnnxWriterRow {
  Op op;
  std::string_view type;  // the ONNX operator, or the first of several
  void (*write)(OnnxWriter&, std::string_view type);
  int64_t typed;            // the input whose element type decides
  TypeSet types;            // that the operator takes in opset 13
  int64_t later = 0;        // the opset from which it takes
  TypeSet later_types = 0;  // these, too
};

/// The row, or nullptr.
const OnnxWriterRow* FindOnnxWriter(Op op);

}  // namespace vta::compiler
