// Slots of virtual threads: what is allocated inside one gets a leading dimension, an entry a
// thread.
#pragma once

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// Moves each allocation inside a virtual-thread loop out of it, with a slot dimension indexed by
/// the thread.
Stmt HoistSlots(const Stmt& stmt);

}  // namespace vta::compiler::loop
