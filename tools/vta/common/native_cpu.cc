#include "tools/vta/common/native_code.h"

#include <dlfcn.h>

#include <algorithm>

#include "compiler/llvm/plugin.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"
#include "isa/support/shipped.h"
#include "runtime/cpu_features.h"

namespace vta::tools {
namespace {

struct Triple {
  std::string_view arch, triple;
};
constexpr Triple kTriples[] = {{"x86_64", "x86_64-unknown-linux-gnu"},
                               {"aarch64", "aarch64-unknown-linux-gnu"},
                               {"armv7", "armv7-unknown-linux-gnueabihf"}};

int64_t VectorBits(const compiler::lower::CpuSpec& cpu) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(cpu.features, name) != cpu.features.end();
  };
  return has("avx512f") ? 512 : has("avx2") ? 256 : 128;
}

// What LLVM is told of a CPU.
compiler::llvm::Machine MachineOf(const compiler::lower::CpuSpec& cpu) {
  for (const Triple& row : kTriples)
    if (row.arch == cpu.arch)
      return {std::string(row.triple), cpu.tune, cpu.features, VectorBits(cpu)};
  CheckFailed(__FILE__, __LINE__, "a triple", cpu.arch);
}

}  // namespace

compiler::lower::CpuSpec NativeCpu() {
  const runtime::Cpu machine = runtime::ThisCpu();
  compiler::lower::CpuSpec native{std::string(machine.arch),
                                  {machine.features.begin(), machine.features.end()}};
  for (const isa::CpuRow& row : isa::kCpus)
    if (native.tune.empty() && machine.Runs(row)) native.tune = row.tune;
  return native;
}

uint64_t HashOf(const compiler::lower::CpuSpec& cpu) {
  Hasher hasher;
  hasher.Text(cpu.arch).Text(cpu.tune);
  for (const std::string& feature : cpu.features) hasher.Text(feature);
  return hasher.value();
}

compiler::ModuleCode BuildModule(std::span<const compiler::lower::Kernel> kernels,
                                 const compiler::lower::CpuSpec& cpu, bool dump) {
  using compiler::llvm::BuildModuleFunction;
  static const auto build = [] {
    const std::string file = ShippedLibrary(compiler::llvm::kPluginFile);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library ? dlsym(library, compiler::llvm::kPluginSymbol) : nullptr;
    if (!symbol) throw Error(file, "", "", StrCat("cannot be loaded: ", dlerror()));
    return reinterpret_cast<BuildModuleFunction*>(symbol);
  }();
  compiler::ModuleCode module;
  compiler::llvm::ModuleText text;
  build(kernels, MachineOf(cpu), module.code, dump ? &text : nullptr);
  std::ranges::replace(text.assembly, '\t', ' ');
  if (dump)
    module.dumps = {
        {"ir.ll", text.ir}, {"optimized.ll", text.optimized}, {"code.s", text.assembly}};
  return module;
}

}  // namespace vta::tools
