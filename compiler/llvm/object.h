// From kernels to object code.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/llvm/machine.h"
#include "compiler/lower/kernel.h"

namespace vta::compiler::llvm {

/// One LLVM module with the machine that it is compiled for.
class Object {
 public:
  /// Writes the kernels' code. Errors: as BuildModule.
  Object(std::span<const lower::Kernel> kernels, const Machine& machine);
  ~Object();

  std::string Ir() const;
  /// Runs LLVM's passes, once.
  void Optimize();
  std::vector<uint8_t> Code() const;
  std::string Assembly() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vta::compiler::llvm
