// Element types of graph tensors, and the bridge from a run-time type to a C++ one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "isa/support/error.h"

namespace vta::compiler {

enum class DType : uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kFloat32,
  kFloat64
};

/// "int8", "float32", ...
std::string_view Name(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);
int64_t Bytes(DType dtype);
bool IsFloat(DType dtype);

/// Calls f with a zero of the C++ type that stores `dtype`.
template <typename F>
decltype(auto) DispatchDType(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kBool:
      return f(bool{});
    case DType::kInt8:
      return f(int8_t{});
    case DType::kUint8:
      return f(uint8_t{});
    case DType::kInt16:
      return f(int16_t{});
    case DType::kUint16:
      return f(uint16_t{});
    case DType::kInt32:
      return f(int32_t{});
    case DType::kUint32:
      return f(uint32_t{});
    case DType::kInt64:
      return f(int64_t{});
    case DType::kFloat32:
      return f(float{});
    case DType::kFloat64:
      break;
  }
  return f(double{});
}

template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUint8;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kUint16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, uint32_t>) return DType::kUint32;
  if constexpr (std::is_same_v<T, int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
}

}  // namespace vta::compiler
