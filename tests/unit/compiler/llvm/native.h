// Runs kernels as native code of this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/llvm/module.h"
#include "compiler/loop/ir.h"
#include "runtime/elf/module.h"

namespace vta::compiler::llvm {

/// This machine: with all that it has, or only what each of its kind has.
Machine HostMachine();
Machine BaselineMachine();
/// Those of isa::kCpus that this machine can run, and such as use narrower vectors than they could.
std::vector<Machine> RunnableMachines();
/// Others that code is made for.
std::vector<Machine> OtherMachines();

class NativeModule {
 public:
  NativeModule(const std::vector<loop::Function>& functions, const Machine& machine);

  /// Runs all tasks of a kernel, in two parts where there are several.
  void Run(size_t kernel, std::span<const std::span<std::byte>> args) const;
  const lower::Kernel& kernel(size_t i) const { return kernels_[i]; }

 private:
  std::vector<lower::Kernel> kernels_;
  std::unique_ptr<runtime::ElfModule> module_;
};

/// Each parameter's bytes.
using Arguments = std::vector<std::vector<std::byte>>;

/// Integers of all kinds, floats from a range, with edge values among them.
Arguments RandomArguments(const loop::Function& function, uint32_t seed);

/// Whether code can be made of it. Of a schedule it cannot always: guards of splits may hide that
/// the tasks around them, which were seen to be independent before, are.
bool IsKernel(const loop::Function& function);

/// In words the first element that is not as wanted, integers to the byte, floats as below; or "".
std::string FirstDifference(const loop::Function& function, const Arguments& wanted,
                            const Arguments& gotten, double tolerance);

struct Trial {
  loop::Function function;
  Arguments args;
  double tolerance = 0;
};
/// Runs each function on the interpreter and natively, all from one module, on the same arguments.
/// Integers must be the same bytes; floats equal or within `tolerance` of each other. Returns the
/// first difference of each in words, or "".
std::vector<std::string> Differences(const std::vector<Trial>& trials, const Machine& machine);
std::string Difference(const loop::Function& function, const Machine& machine, Arguments args,
                       double tolerance = 0);

}  // namespace vta::compiler::llvm
