// Native code for this machine's CPU, and for others.
#pragma once

#include "compiler/lower/cpu.h"
#include "compiler/lower/kernel.h"

namespace vta::tools {

/// Its features, tuned for the first CPU of isa::kCpus that has no other: "native".
compiler::lower::CpuSpec NativeCpu();

/// For compiler::CompileOptions. Errors: as llvm::BuildModule.
std::vector<uint8_t> BuildModule(std::span<const compiler::lower::Kernel> kernels,
                                 const compiler::lower::CpuSpec& cpu);

}  // namespace vta::tools
