// Native code of kernels, as a shared object that imports nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/llvm/machine.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::llvm {

/// For a GPU, whose kernels have threads: PTX, text of functions by the kernels' names that take
/// the tensors' addresses and the workspace's. For a CPU: an ELF shared object that exports each
/// kernel by its function's name, as
///   void k(void* const* tensors, void* workspace, int64_t first_task, int64_t last_task);
/// It imports nothing and has no relocation, constructor, thread-local or writable segment. The
/// same kernels and machine give the same bytes.
/// Errors: throws Error if the machine is none that code is made for (or has an unknown feature),
/// if two kernels have one name or a name that is no symbol's, or if the result is not as it
/// should be: it says which symbol.
std::vector<uint8_t> BuildModule(std::span<const lower::Kernel> kernels, const Machine& machine);

/// For --dump-dir: LLVM's IR before and after its passes, and assembly.
struct ModuleText {
  std::string ir, optimized, assembly;
};
ModuleText DumpModule(std::span<const lower::Kernel> kernels, const Machine& machine);

}  // namespace vta::compiler::llvm
