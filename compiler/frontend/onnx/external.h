// Tensors whose bytes lie in a file beside the model ("external data").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class TensorProto;
}

namespace vta::compiler {

/// Whether the tensor says that its bytes are in another file.
bool IsExternal(const onnx::TensorProto& proto);

/// Whether the file of a tensor that IsExternal is there; never where `folder` is empty.
/// Errors: throws Error naming `where`, the tensor, the value and the rule for keys that are
/// missing, repeated or unknown, and a location that leads outside of the folder by its words.
bool HasExternal(const onnx::TensorProto& proto, const std::string& folder,
                 const std::string& where);

/// The `bytes` bytes of a tensor that IsExternal: those at `offset` of the file `location`, which
/// is relative to `folder` and must lie inside it, links followed. A `checksum` is not looked at.
/// Errors: throws Error naming `where`, the tensor, the value and the rule for keys that are
/// missing, repeated, unknown or out of range, a file that is missing, too short, no regular file
/// or outside of the folder; and always where `folder` is empty, before any file is looked for.
std::vector<uint8_t> ReadExternal(const onnx::TensorProto& proto, int64_t bytes,
                                  const std::string& folder, const std::string& where);

}  // namespace vta::compiler
