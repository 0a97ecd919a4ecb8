// This machine's CPU as one that code is made for.
#pragma once

#include "compiler/lower/cpu.h"

namespace vta::tools {

/// Its features, tuned for the first CPU of isa::kCpus that has no other: "native".
compiler::lower::CpuSpec NativeCpu();

/// Of what code for a CPU depends on beside the kernels.
uint64_t HashOf(const compiler::lower::CpuSpec& cpu);

}  // namespace vta::tools
