#include "compiler/llvm/plugin.h"

#include "compiler/llvm/module.h"

extern "C" void vta_build_module(std::span<const vta::compiler::lower::Kernel> kernels,
                                 const vta::compiler::llvm::Machine& machine,
                                 std::vector<uint8_t>& code) {
  code = vta::compiler::llvm::BuildModule(kernels, machine);
}
