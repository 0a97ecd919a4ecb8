// What instructions count when they are done: known without running them.
#pragma once

#include <cstdint>
#include <span>

#include "isa/launch.h"

namespace vta::isa {

/// The micro-ops of a GEMM or an ALU instruction.
int64_t MicroOps(const Instruction& insn);

/// The counters that have nothing to do with time, of instructions each of which is completed.
Counters CountersOf(const Layout& layout, std::span<const Word> program);

}  // namespace vta::isa
