// What the ALU makes of a lane. Sums and products wrap.
#pragma once

#include "vta.h"

inline int32_t vta_shift_right(int32_t value, int32_t by) {
#pragma HLS INLINE
  if (by >= 0) return value >> (by < 31 ? by : 31);
  return by <= -32 ? 0 : int32_t(uint32_t(value) << -by);
}

/// What takes a cycle.
inline int32_t vta_alu_short(uint32_t operation, int32_t a, int32_t b) {
#pragma HLS INLINE
  switch (operation) {
    case VTA_ALU_MIN:
      return a < b ? a : b;
    case VTA_ALU_MAX:
      return a < b ? b : a;
    case VTA_ALU_ADD:
      return int32_t(uint32_t(a) + uint32_t(b));
    default:
      return vta_shift_right(a, b);
  }
}

/// Whether its operand is a block of parameters.
inline bool vta_is_requant(uint32_t operation) {
#pragma HLS INLINE
  return (VTA_REQUANT && operation == VTA_ALU_REQUANT) || (VTA_LUT && operation == VTA_ALU_LUT);
}

/// What requant makes of an accumulator by the lane's parameters, three words.
inline int32_t vta_requant(int32_t value, int32_t bias, int32_t multiplier, int32_t packed, bool twice) {
#pragma HLS INLINE
  const int32_t biased = int32_t(uint32_t(value) + uint32_t(bias));
  const uint32_t kept = ~uint32_t((uint64_t(1) << (32 - VTA_REQUANT_MULTIPLIER_BITS)) - 1);
  const int32_t factor = int32_t(uint32_t(multiplier) & kept);
  int exponent = int8_t(packed);
  exponent = exponent < -31 ? -31 : exponent > 30 ? 30 : exponent;
  const int64_t zero_point = int8_t(packed >> 8), low = int8_t(packed >> 16),
                high = int8_t(packed >> 24);
  int64_t scaled;
  if (!twice) {
    const int shift = 31 - exponent;
    scaled = (int64_t(biased) * factor + (int64_t(1) << (shift - 1))) >> shift;
  } else {
    const int32_t left = exponent > 0 ? vta_shift_right(biased, -exponent) : biased;
    scaled = (int64_t(left) * factor + (int64_t(1) << 30)) >> 31;
    if (scaled > INT32_MAX) scaled = INT32_MAX;
    if (exponent < 0) {
      const int64_t mask = (int64_t(1) << -exponent) - 1;
      const int64_t half = (mask >> 1) + (scaled < 0 ? 1 : 0);
      scaled = (scaled >> -exponent) + ((scaled & mask) > half ? 1 : 0);
    }
  }
  scaled += zero_point;
  if (scaled < low) scaled = low;
  if (scaled > high) scaled = high;
  return int32_t(scaled);
}

/// What takes longer.
inline int32_t vta_alu_long(bool requant, int32_t value, int32_t operand, const int32_t parameters[3],
                    bool twice) {
#pragma HLS INLINE
  if (requant) return vta_requant(value, parameters[0], parameters[1], parameters[2], twice);
  return VTA_MUL ? int32_t(uint32_t(value) * uint32_t(operand)) : 0;
}
