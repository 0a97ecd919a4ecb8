// Native code for this machine's CPU, and for others.
#pragma once

#include "compiler/compile.h"

namespace vta::tools {

/// Its features, tuned for the first CPU of isa::kCpus that has no other: "native".
compiler::lower::CpuSpec NativeCpu();

/// Of what code for a CPU depends on beside the kernels.
uint64_t HashOf(const compiler::lower::CpuSpec& cpu);

/// For compiler::CompileOptions. Errors: as llvm::BuildModule.
compiler::ModuleCode BuildModule(std::span<const compiler::lower::Kernel> kernels,
                                 const compiler::lower::CpuSpec& cpu, bool dump);

}  // namespace vta::tools
