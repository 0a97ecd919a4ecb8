// The shared library that generates code: loaded by what compiles, and by nothing else.
#pragma once

#include "compiler/llvm/module.h"

namespace vta::compiler::llvm {

inline constexpr char kPluginFile[] = "libvta_codegen.so", kPluginSymbol[] = "vta_build_module";

/// BuildModule and, where `text` is not null, DumpModule. Both sides are built from the same
/// sources.
using BuildModuleFunction = void(std::span<const lower::Kernel> kernels, const Machine& machine,
                                 std::vector<uint8_t>& code, ModuleText* text);

}  // namespace vta::compiler::llvm
