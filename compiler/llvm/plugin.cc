#include "compiler/llvm/plugin.h"

namespace vta::compiler::llvm {

extern "C" void vta_build_module(std::span<const lower::Kernel> kernels, const Machine& machine,
                                 std::vector<uint8_t>& code, ModuleText* text) {
  code = BuildModule(kernels, machine);
  if (text) *text = DumpModule(kernels, machine);
}
static_assert(std::is_same_v<decltype(vta_build_module), BuildModuleFunction>);

}  // namespace vta::compiler::llvm
