#include "runtime/elf/module.h"

#include "isa/support/error.h"
#include "runtime/cpu_features.h"

namespace vta::runtime {
namespace {

const isa::PackageModule& OfThisMachine(const isa::PackageModule& module,
                                        const std::string& where) {
  if (module.arch != kBuildArch)
    throw Error(where, "arch", module.arch,
                StrCat("this machine runs ", kBuildArch.empty() ? "no modules" : kBuildArch));
  return module;
}

}  // namespace

ElfFile CheckElfModule(const isa::PackageModule& module,
                       std::span<const isa::PackageKernel> kernels, const std::string& where) {
  if (module.format != "elf") throw Error(where, "format", module.format, "must be elf");
  const isa::CpuArchRow* arch = isa::FindCpuArch(module.arch);
  if (!arch) throw Error(where, "arch", module.arch, "is not an architecture that is known");
  ElfFile file = ParseElf(module.code, *arch, where);
  for (const isa::PackageKernel& kernel : kernels)
    if (!kernel.IsForGpu() && !file.Find(kernel.name))
      throw Error(where, StrCat("kernel '", kernel.name, "'"), "",
                  "the module must define a function of this name");
  return file;
}

ElfModule::ElfModule(const isa::PackageModule& module, std::span<const isa::PackageKernel> kernels,
                     const std::string& where)
    : ElfModule(CheckElfModule(OfThisMachine(module, where), kernels, where), module, kernels,
                where) {}

ElfModule::ElfModule(const ElfFile& file, const isa::PackageModule& module,
                     std::span<const isa::PackageKernel> kernels, const std::string& where)
    : image_(file, module.code, where) {
  for (const isa::PackageKernel& kernel : kernels) {
    kernels_.push_back(nullptr);
    if (kernel.IsForGpu()) continue;
    const ElfFunction& function = *file.Find(kernel.name);
    const uintptr_t address = reinterpret_cast<uintptr_t>(image_.At(function.begin_bytes));
    kernels_.back() = reinterpret_cast<NativeKernel>(address + function.thumb);
  }
}

void ElfModule::Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
                    int64_t last) const {
  Native(kernel)(tensors, workspace, first, last);
}

NativeKernel ElfModule::Native(int64_t kernel) const {
  VTA_CHECK(kernel >= 0 && kernel < std::ssize(kernels_) && kernels_[kernel], "kernel ", kernel);
  return kernels_[static_cast<size_t>(kernel)];
}

}  // namespace vta::runtime
