// When the buffers of a function live.
#pragma once

#include <vector>

#include "compiler/loop/ir.h"
#include "compiler/memory_planner.h"

namespace vta::compiler::lower {

/// When a buffer is alive: from the first to the last block that uses it, and as long as any loop
/// inside its allocation that repeats them. One that nothing uses has no first.
struct BufferLife : Lifetime {
  loop::Buffer buffer;
};

std::vector<BufferLife> LivesOf(const loop::Function& function);

}  // namespace vta::compiler::lower
