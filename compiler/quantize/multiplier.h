// Real scale factors as the fixed-point numbers that requantisation multiplies by.
#pragma once

#include <cstdint>

namespace vta::compiler {

/// multiplier / 2^31 * 2^exponent, the multiplier 0 or in [2^30, 2^31).
struct FixedPoint {
  int32_t multiplier;
  int32_t exponent;  // positive = left, in [-31, 30]
  bool operator==(const FixedPoint&) const = default;
};

/// The nearest such number to a finite real >= 0; what is too small becomes 0, what is too large
/// the largest. Source: TFLite's conversion of a real multiplier (frexp, fraction rounded to 31
/// bits).
FixedPoint ToFixedPoint(double real);

/// Small integers a, b, at most `most`, of which the larger operand's is chosen so that a / b is as
/// near to scale_a / scale_b as can be; the smallest such pair. unit is scale_a / a.
struct SmallRatio {
  int64_t a, b;
  double unit;  // the scale of the sum a * x + b * y
};
SmallRatio NearestRatio(double scale_a, double scale_b, int64_t most);

}  // namespace vta::compiler
