// The shared library that generates code: loaded by what compiles, and by nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/llvm/machine.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::llvm {

inline constexpr char kPluginFile[] = "libvta_codegen.so", kPluginSymbol[] = "vta_build_module";

/// BuildModule, as a plain function. Both sides are built from the same sources.
using BuildModuleFunction = void(std::span<const lower::Kernel> kernels, const Machine& machine,
                                 std::vector<uint8_t>& code);

}  // namespace vta::compiler::llvm
