// Cubic interpolation, as Resize and GridSample have it.
#pragma once

#include <array>

namespace vta::compiler {

/// What an element counts that lies d away: coefficients of 1, d, d^2 and d^3, of those that are
/// near, where d is at most 1, or of the others, up to 2. `a` is the slope at 1.
inline std::array<double, 4> CubicWeight(double a, bool near) {
  return near ? std::array{1.0, 0.0, -(a + 3), a + 2} : std::array{-4 * a, 8 * a, -5 * a, a};
}

}  // namespace vta::compiler
