#include "compiler/graph/dtype.h"

#include <array>

namespace vta::compiler {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  int64_t bytes;
};

constexpr std::array<Row, 10> kRows = {{
    {DType::kBool, "bool", 1},
    {DType::kInt8, "int8", 1},
    {DType::kUint8, "uint8", 1},
    {DType::kInt16, "int16", 2},
    {DType::kUint16, "uint16", 2},
    {DType::kInt32, "int32", 4},
    {DType::kUint32, "uint32", 4},
    {DType::kInt64, "int64", 8},
    {DType::kFloat32, "float32", 4},
    {DType::kFloat64, "float64", 8},
}};

}  // namespace

std::string_view Name(DType dtype) { return kRows[static_cast<size_t>(dtype)].name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

int64_t Bytes(DType dtype) { return kRows[static_cast<size_t>(dtype)].bytes; }

bool IsFloat(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

}  // namespace vta::compiler
