// Floats of 16 bits, as float32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vta::compiler {

/// Of an IEEE number of 16 bits.
inline float FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = std::ldexp(fraction, -24);
  if (exponent > 0) value = std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31)
    value = fraction ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  return static_cast<float>(bits >> 15 ? -value : value);
}

/// Of the upper half of a float32.
inline float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

}  // namespace vta::compiler
