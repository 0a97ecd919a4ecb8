// Rescaling on hardware whose requant uses only the leading bits of a multiplier.
#pragma once

#include <optional>

#include "isa/spec/requant.h"

namespace vta::compiler::targets {

/// Requant(factor * sum, lane) of an accumulator that was summed up with weights `factor`.
struct NarrowScale {
  int64_t factor = 1;
  isa::RequantLane lane;
};
/// What gives the code of Requant(sum, wanted) for every sum in [low, high] though only `bits` bits
/// of the multiplier count: weights of up to `most` make room for a bias of less than a unit of
/// the sum, and for other multipliers. Nothing where none was found.
std::optional<NarrowScale> ExactNarrowScale(const isa::RequantLane& wanted, isa::Rounding rounding,
                                            int64_t bits, int64_t low, int64_t high, int64_t most);

}  // namespace vta::compiler::targets
