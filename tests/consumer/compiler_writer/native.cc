#include "compiler_writer/native.h"

#include "compiler/lower/kernel.h"
#include "compiler/native_code.h"
#include "isa/package.h"
#include "runtime/aligned_memory.h"
#include "runtime/cpu_features.h"
#include "runtime/elf/module.h"

using namespace vta;

compiler::lower::CpuSpec NativeCpu() {
  const runtime::Cpu machine = runtime::ThisCpu();
  return {std::string(machine.arch), {machine.features.begin(), machine.features.end()}, ""};
}

void RunNative(const compiler::loop::Function& function, const std::vector<void*>& tensors) {
  const compiler::lower::CpuSpec cpu = NativeCpu();
  const compiler::lower::Kernel kernel = compiler::lower::PlanKernel(function);
  const isa::PackageModule code{std::string(isa::kElfFormat), cpu.arch, cpu.features,
                                compiler::BuildModule({&kernel, 1}, cpu, false).code};
  const isa::PackageKernel name{.name = function.name};
  const runtime::ElfModule module(code, {&name, 1}, function.name);
  const runtime::AlignedMemory workspace(std::max<int64_t>(kernel.workspace_bytes, 1),
                                         function.name);
  module.Run(0, tensors.data(), workspace.data(), 0, kernel.tasks);
}
