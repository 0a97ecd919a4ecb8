#include "compiler/quantize/multiplier.h"

#include <cmath>
#include <limits>

#include "isa/support/error.h"

namespace vta::compiler {

FixedPoint ToFixedPoint(double real) {
  VTA_CHECK(std::isfinite(real) && real >= 0, real);
  if (real == 0) return {0, 0};
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);  // in [0.5, 1)
  int64_t multiplier = std::llround(fraction * (int64_t{1} << 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent < -31) return {0, 0};
  if (exponent > 30) return {std::numeric_limits<int32_t>::max(), 30};
  return {static_cast<int32_t>(multiplier), exponent};
}

SmallRatio NearestRatio(double scale_a, double scale_b, int64_t most) {
  if (scale_a < scale_b) {
    const SmallRatio swapped = NearestRatio(scale_b, scale_a, most);
    return {swapped.b, swapped.a, swapped.unit};
  }
  SmallRatio best{1, 0, scale_a};
  double best_error = std::numeric_limits<double>::infinity();
  constexpr double kNoise = 1e-9;  // larger integers must be worth it
  for (int64_t a = 1; a <= most; ++a) {
    const double wanted = static_cast<double>(a) * scale_b / scale_a;
    const double error = std::abs(std::round(wanted) - wanted) / static_cast<double>(a);
    if (error < best_error - kNoise) {
      best = {a, std::llround(wanted), scale_a / static_cast<double>(a)};
      best_error = error;
    }
  }
  return best;
}

}  // namespace vta::compiler
