// Conversion between element types, defined for every value.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace vta::compiler::ops {

/// Floats truncate towards zero and saturate, a NaN becomes 0; integers wrap; bool means "not
/// zero".
template <typename To, typename From>
To Convert(From v) {
  if constexpr (std::is_same_v<To, bool>) {
    return v != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(v)) return 0;
    if (v <= static_cast<From>(Limits::min())) return Limits::min();
    if (v >= static_cast<From>(Limits::max())) return Limits::max();
    return static_cast<To>(v);
  } else if constexpr (std::is_same_v<From, double> && std::is_same_v<To, float>) {
    constexpr double kMost = std::numeric_limits<float>::max();
    if (std::abs(v) > kMost) return std::copysign(std::numeric_limits<float>::infinity(), v);
    return static_cast<float>(v);
  } else {
    return static_cast<To>(v);
  }
}

}  // namespace vta::compiler::ops
