// Where the buffers of a scheduled function lie in the scratchpads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/loop/ir.h"
#include "isa/config.h"

namespace vta::compiler::targets {

/// The annotation of a block that gives the buffer it writes this many slots; each time the
/// buffer's allocation is reached, the next slot is taken, so that loads run ahead of their use.
inline constexpr char kSlotsAnnotation[] = "slots";

/// The slots of one buffer, `rows` apart.
struct Slots {
  int64_t base = 0, rows = 0, slots = 1;

  int64_t Row(int64_t use) const { return base + use % slots * rows; }
};

/// Gives each allocated buffer of a scratchpad scope its rows.
/// Errors: throws Error naming the scratchpad, the rows asked for and its depth when it is full.
std::map<const loop::BufferNode*, Slots> PlaceBuffers(const isa::Config& config,
                                                      const loop::Function& function);

}  // namespace vta::compiler::targets
