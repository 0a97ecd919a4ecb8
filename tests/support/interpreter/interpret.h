// Runs a function of the loop IR: the oracle of every target, and the engine of the host's
// operators.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "compiler/loop/ir.h"

namespace vta::compiler::loop {

/// The memory that an Interpreter of the function holds for its own buffers; int64's largest where
/// the sizes overflow.
int64_t LocalBytes(const Function& function);

/// Compiles the function once; runs it any number of times. One innermost loop (or an outer one of
/// a nest, where the order provably does not matter) runs in lanes of 64, so that an operation is
/// dispatched once for 64 elements. Every access that is not proved in range is checked when it
/// happens.
class Interpreter {
 public:
  /// Errors: throws Error if the function is malformed (a store outside a block, an unknown
  /// variable).
  explicit Interpreter(const Function& function);
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;

  /// Shape:  args[i] are the bytes of params[i], row-major.
  /// Errors: throws Error if a size does not fit, or an access lies outside its buffer (block,
  /// buffer, dimension).
  /// False where it was stopped at the deadline, or soon after: then outputs hold anything.
  bool Run(std::span<const std::span<std::byte>> args,
           std::chrono::steady_clock::time_point deadline =
               std::chrono::steady_clock::time_point::max());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vta::compiler::loop
