// Which functions of the loop IR are small enough to run inside a fuzz target.
#pragma once

#include <functional>

#include "compiler/loop/analysis.h"

namespace vta::fuzz {

/// No buffer of 64 KiB or more, and at most 20,000 iterations of blocks (those of a call's operands
/// included).
inline bool IsSmall(const compiler::loop::Function& function) {
  using namespace compiler::loop;
  constexpr int64_t kMostElems = 8192, kMostIterations = 20000;
  for (const Buffer& buffer : Buffers(function))
    if (buffer->SizeElems() > kMostElems) return false;
  int64_t total = 0;
  for (const Site& site : Sites(function.body)) {
    int64_t iterations = 1;
    for (const Stmt& loop : site.loops)
      if (__builtin_mul_overflow(iterations, As<For>(loop)->extent, &iterations)) return false;
    if (const Call* call = As<Call>(site.block->body))
      for (const Region& region : call->operands)
        for (const Range& range : region.ranges)
          if (__builtin_mul_overflow(iterations, std::max<int64_t>(1, range.extent), &iterations))
            return false;
    if (iterations > kMostIterations || (total += iterations) > kMostIterations) return false;
  }
  return true;
}

}  // namespace vta::fuzz
