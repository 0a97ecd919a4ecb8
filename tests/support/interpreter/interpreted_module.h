// A package's kernels as the interpreter runs them: what native code is held to.
#pragma once

#include <span>
#include <vector>

#include "compiler/loop/ir.h"
#include "isa/package.h"
#include "runtime/modules/kernel_module.h"
#include "tests/support/interpreter/interpret.h"

namespace vta::test {

class InterpretedModule : public runtime::KernelModule {
 public:
  /// Errors: throws Error where the functions are not the package's kernels, by name and by the
  /// sizes of their arguments.
  InterpretedModule(const isa::Package& package,
                    std::span<const compiler::loop::Function> functions);

  /// All tasks at once, on the thread that has the first.
  void Run(int64_t kernel, void* const* tensors, void* workspace, int64_t first,
           int64_t last) const override;

 private:
  struct Kernel {
    compiler::loop::Interpreter interpreter;
    std::vector<int64_t> argument_bytes;
  };
  mutable std::vector<Kernel> kernels_;
};

}  // namespace vta::test
