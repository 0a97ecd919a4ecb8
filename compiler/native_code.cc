#include "compiler/native_code.h"

#include <dlfcn.h>

#include <algorithm>

#include "compiler/llvm/plugin.h"
#include "compiler/opencl/module.h"
#include "isa/support/error.h"
#include "isa/support/shipped.h"

namespace vta::compiler {
namespace {

struct Triple {
  std::string_view arch, triple;
};
constexpr Triple kTriples[] = {{"x86_64", "x86_64-unknown-linux-gnu"},
                               {"aarch64", "aarch64-unknown-linux-gnu"},
                               {"armv7", "armv7-unknown-linux-gnueabihf"},
                               {isa::kPtxArch, "nvptx64-nvidia-cuda-unknown"}};

int64_t VectorBits(const lower::CpuSpec& cpu) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(cpu.features, name) != cpu.features.end();
  };
  return has("avx512f") ? 512 : has("avx2") ? 256 : 128;
}

// What LLVM is told of a CPU.
llvm::Machine MachineOf(const lower::CpuSpec& cpu) {
  for (const Triple& row : kTriples)
    if (row.arch == cpu.arch)
      return {std::string(row.triple), cpu.tune, cpu.features, VectorBits(cpu)};
  throw Error("", "cpu", cpu.arch, "is no architecture that code is made for");
}

}  // namespace

ModuleCode BuildModule(std::span<const lower::Kernel> kernels, const lower::CpuSpec& cpu,
                       bool dump) {
  if (cpu.arch == isa::kOpenClArch) {
    const std::string text = opencl::PrintModule(kernels);
    return {{text.begin(), text.end()},
            dump ? std::vector<Dump>{{"code.cl", text}} : std::vector<Dump>{}};
  }
  static const auto build = [] {
    const std::string file = ShippedLibrary(llvm::kPluginFile);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library ? dlsym(library, llvm::kPluginSymbol) : nullptr;
    if (!symbol) throw Error(file, "", "", StrCat("cannot be loaded: ", dlerror()));
    return reinterpret_cast<llvm::BuildModuleFunction*>(symbol);
  }();
  ModuleCode module;
  llvm::ModuleText text;
  build(kernels, MachineOf(cpu), module.code, dump ? &text : nullptr);
  std::ranges::replace(text.assembly, '\t', ' ');
  if (dump)
    module.dumps = {
        {"ir.ll", text.ir}, {"optimized.ll", text.optimized}, {"code.s", text.assembly}};
  return module;
}

}  // namespace vta::compiler
