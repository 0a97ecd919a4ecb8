// Golden arithmetic of the ALU operations requant and lut: int32 accumulator -> int8, per lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "isa/spec/alu_ops.h"

namespace vta::isa {

/// Which of the two TFLite kernel families is followed; SET chooses, a launch starts with kSingle.
enum class Rounding : uint8_t { kSingle = 0, kDouble = 1 };

/// Rows of a parameter block: src holds the biases, src+1 the multipliers, src+2 the packed rest.
inline constexpr int kRequantRows = 3;

/// One lane's parameters. The packed word holds, from its low byte up: exponent, zero point, low,
/// high.
struct RequantLane {
  int32_t bias = 0;
  int32_t multiplier = 0;  // fixed point: value / 2^31
  int8_t exponent = 0;     // power of two, positive = left; clamped to [-31, 30]
  int8_t zero_point = 0;
  int8_t low = -128;
  int8_t high = 127;
  bool operator==(const RequantLane&) const = default;
};

/// Where each of them lies in the block.
struct RequantField {
  std::string_view name;
  int row, low_bit, width;
  std::string_view meaning;
};
inline constexpr RequantField kRequantFields[] = {
    {"bias", 0, 0, 32, "added to the accumulator, wrapping to 32 bits"},
    {"multiplier", 1, 0, 32, "fixed point, signed: value / 2^31"},
    {"exponent", 2, 0, 8, "power of two, signed, positive is left; clamped to [-31, 30]"},
    {"zero_point", 2, 8, 8, "added after the scaling, signed"},
    {"low", 2, 16, 8, "least result, signed"},
    {"high", 2, 24, 8, "greatest result, signed"},
};

constexpr int32_t PackRequant(const RequantLane& lane) {
  auto byte = [](int8_t v, int shift) {
    return static_cast<uint32_t>(static_cast<uint8_t>(v)) << shift;
  };
  return static_cast<int32_t>(byte(lane.exponent, 0) | byte(lane.zero_point, 8) |
                              byte(lane.low, 16) | byte(lane.high, 24));
}
constexpr RequantLane UnpackRequant(int32_t bias, int32_t multiplier, int32_t packed) {
  auto byte = [&](int shift) {
    return static_cast<int8_t>(static_cast<uint32_t>(packed) >> shift);
  };
  return {bias, multiplier, byte(0), byte(8), byte(16), byte(24)};
}

static_assert(PackRequant({.exponent = 1, .zero_point = 1, .low = 1, .high = 1}) ==
              (1 << kRequantFields[2].low_bit | 1 << kRequantFields[3].low_bit |
               1 << kRequantFields[4].low_bit | 1 << kRequantFields[5].low_bit));

/// The leading `bits` bits of a multiplier: hardware of a narrower config ignores the others.
constexpr int32_t TruncateMultiplier(int32_t multiplier, int64_t bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(multiplier) &
                              ~static_cast<uint32_t>((uint64_t{1} << (32 - bits)) - 1));
}

/// value * multiplier / 2^31 * 2^exponent. Mode single rounds the product once, ties up. Mode
/// double shifts `value` left first where the exponent is positive (wrapping), rounds the product
/// to 32 bits (ties up, saturating), then rounds the right shift where the exponent is negative
/// (ties away from zero).
constexpr int64_t FixedPointMultiply(int32_t value, int32_t multiplier, int exponent,
                                     Rounding rounding) {
  exponent = std::clamp(exponent, -31, 30);
  if (rounding == Rounding::kSingle) {
    const int shift = 31 - exponent;
    return (int64_t{value} * multiplier + (int64_t{1} << (shift - 1))) >> shift;
  }
  const int32_t shifted = exponent > 0 ? ShiftRight(value, -exponent) : value;
  const int64_t product = (int64_t{shifted} * multiplier + (int64_t{1} << 30)) >> 31;
  const int64_t high = std::min<int64_t>(product, std::numeric_limits<int32_t>::max());
  if (exponent >= 0) return high;
  const int64_t mask = (int64_t{1} << -exponent) - 1;
  const int64_t threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  return (high >> -exponent) + ((high & mask) > threshold ? 1 : 0);
}

/// min(max(rescale(accumulator + bias) + zero_point, low), high); the bias is added wrapping to 32
/// bits, all that follows is exact. `multiplier_bits` is the config's requant_multiplier_bits.
constexpr int32_t Requant(int32_t accumulator, const RequantLane& lane, Rounding rounding,
                          int64_t multiplier_bits = 32) {
  const int64_t moved = FixedPointMultiply(WrapAdd(accumulator, lane.bias),
                                           TruncateMultiplier(lane.multiplier, multiplier_bits),
                                           lane.exponent, rounding) +
                        lane.zero_point;
  return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(moved, lane.low), lane.high));
}

/// Bytes of the table of lut.
inline constexpr int64_t kLutBytes = 256;

/// What the table says of a code: the byte, signed, whose place is the code's eight bits. So codes
/// from 0 to 127 come first, and -128 to -1 behind them.
constexpr int32_t LookUp(const int8_t* table, int32_t code) {
  return table[static_cast<uint8_t>(code)];
}

}  // namespace vta::isa
