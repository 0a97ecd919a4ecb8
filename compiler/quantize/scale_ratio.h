// Two scales as a ratio of whole numbers.
#pragma once

#include <cstdint>
#include <optional>

namespace vta::compiler {

/// The exact ratio of two scales, x / y, in lowest terms.
struct ScaleRatio {
  int64_t of_x, of_y;
};
/// Nothing where a term would have more than 40 bits.
std::optional<ScaleRatio> RatioOf(double x, double y);

}  // namespace vta::compiler
