// The kernels of a compile, and the modules that have their code.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/dump_folder.h"

namespace vta::compiler {

class KernelModules {
 public:
  explicit KernelModules(DumpFolder& dumps) : dumps_(dumps) {}

  /// The index of a kernel: steps that compute the same share one. `functions`: as in KernelCode.
  int64_t Add(std::vector<loop::Function> functions, bool for_gpu);

  /// Puts the kernels and a module for each of `options.cpus` into the package: of CPUs with the
  /// kernels for them, of GPUs with the others; none where these are none. `on_module` is told of
  /// how many kernels one is made.
  void AddTo(isa::Package* package, const CompileOptions& options,
             const std::function<void(int64_t kernels)>& on_module) const;

  /// Of each kernel the first one.
  std::vector<loop::Function> Functions() &&;

 private:
  struct OfKernel {
    std::vector<loop::Function> functions;
    bool for_gpu = false;
  };

  DumpFolder& dumps_;
  std::vector<OfKernel> kernels_;
  std::map<std::string, int64_t> kernel_of_;  // by its text, without the number
};

}  // namespace vta::compiler
