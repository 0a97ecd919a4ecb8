// Native code of kernels, by the shared library that generates it.
#pragma once

#include <span>

#include "compiler/compile.h"

namespace vta::compiler {

/// For CompileOptions::build_module. LLVM is loaded with the first call.
/// Errors: as llvm::BuildModule; throws Error where the library is not shipped with this build.
ModuleCode BuildModule(std::span<const lower::Kernel> kernels, const lower::CpuSpec& cpu,
                       bool dump);

}  // namespace vta::compiler
