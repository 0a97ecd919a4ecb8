// Where a search of a task has nothing left to find.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/tune/candidates.h"

namespace vta::compiler::tune {

/// Whether the best is at the bound, but for what no search could find: one cycle in a thousand.
inline bool IsAtBound(std::span<const Candidate> candidates, int64_t bound) {
  constexpr int64_t kNothing = 1000;
  const Candidate* const best = Best(candidates);
  return best && *best->cost <= bound + bound / kNothing;
}

}  // namespace vta::compiler::tune
