#include "compiler/llvm/module.h"

#include "compiler/llvm/check_module.h"
#include "compiler/llvm/link.h"
#include "compiler/llvm/object.h"
#include "isa/spec/cpu.h"

namespace vta::compiler::llvm {

std::vector<uint8_t> BuildModule(std::span<const lower::Kernel> kernels, const Machine& machine) {
  Object object(kernels, machine);
  object.Optimize();
  if (TraitsOf(machine).arch == isa::kPtxArch) {
    const std::string text = object.Assembly();
    return {text.begin(), text.end()};
  }
  std::vector<uint8_t> module = Link(object.Code());
  CheckModule(module, kernels);
  return module;
}

ModuleText DumpModule(std::span<const lower::Kernel> kernels, const Machine& machine) {
  Object object(kernels, machine);
  ModuleText text{.ir = object.Ir()};
  object.Optimize();
  text.optimized = object.Ir();
  text.assembly = object.Assembly();
  return text;
}

}  // namespace vta::compiler::llvm
