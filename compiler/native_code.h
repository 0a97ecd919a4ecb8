// Code of kernels: native code by the shared library that generates it, and OpenCL C.
#pragma once

#include <span>

#include "compiler/compile.h"

namespace vta::compiler {

/// For CompileOptions::build_module. LLVM is loaded with the first call that needs it.
/// Errors: as llvm::BuildModule and opencl::PrintModule; throws Error where the library is not
/// shipped with this build.
ModuleCode BuildModule(std::span<const lower::Kernel> kernels, const lower::CpuSpec& cpu,
                       bool dump);

}  // namespace vta::compiler
