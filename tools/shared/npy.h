// Tensors as files hold them, with their type and shape; and those of NumPy, *.npy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vta::tools {

/// A tensor that a file holds. Shape: row-major, [] is a scalar.
struct StoredTensor {
  std::string type;  // float32, int8 ...
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;

  bool operator==(const StoredTensor&) const = default;
};

/// "[1,64,25,5]"; "[]" for a scalar.
std::string ShapeText(std::span<const int64_t> shape);

/// Whether a file holds an array of NumPy, by its name.
bool IsNpy(const std::string& path);

/// Errors: throws Error naming the file, the part of it, the value and the rule.
StoredTensor ParseNpy(std::span<const uint8_t> bytes, const std::string& file);
std::vector<uint8_t> SerializeNpy(const StoredTensor& tensor);

}  // namespace vta::tools
