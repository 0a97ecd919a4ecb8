// Random instructions one after the other: whatever they do, no two modules run at once.
#pragma once

#include <cstdint>

#include "tests/support/random_kernels.h"

namespace vta::test {

/// Instructions of every kind that the config has, with the turn handed from module to module by
/// tokens. One field in `wild` instructions is anything; the others mostly stay inside.
TestProgram SerialProgram(const isa::Config& config, uint64_t seed, int64_t wild);

/// One field of the instruction's format becomes anything that fits; loops stay short enough to
/// simulate.
void ChangeField(Draw& draw, const isa::Layout& layout, isa::Instruction& insn);

}  // namespace vta::test
