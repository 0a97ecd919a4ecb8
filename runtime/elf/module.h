// Kernels in native code for this machine's CPU, loaded from a shared object in memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isa/package.h"
#include "runtime/elf/image.h"
#include "runtime/modules/kernel_module.h"

namespace vta::runtime {

class ElfModule : public KernelModule {
 public:
  /// The module must be one that this CPU runs: SelectModule says which. Nothing of it runs until
  /// Run. `where` names it in errors.
  /// Errors: throws Error as ParseElf and ElfImage do, and naming an architecture that is not this
  /// machine's, and a kernel that the module does not define.
  ElfModule(const isa::PackageModule& module, std::span<const isa::PackageKernel> kernels,
            const std::string& where);

  void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
           int64_t last) const override;
  std::span<const uint8_t> memory() const override { return image_.memory(); }
  NativeKernel Native(int64_t kernel) const override;

 private:
  ElfModule(const ElfFile& file, const isa::PackageModule& module,
            std::span<const isa::PackageKernel> kernels, const std::string& where);

  ElfImage image_;
  std::vector<NativeKernel> kernels_;  // in the package's order; null of those of a GPU
};

/// The module's file, where it defines every kernel. Any machine can ask.
/// Errors: throws Error as ParseElf does, and naming a format other than "elf", an unknown
/// architecture, or a kernel that the module does not define.
ElfFile CheckElfModule(const isa::PackageModule& module,
                       std::span<const isa::PackageKernel> kernels, const std::string& where);

}  // namespace vta::runtime
