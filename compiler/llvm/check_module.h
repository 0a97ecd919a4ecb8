// Checks that a linked module is one that can be run by itself.
#pragma once

#include <cstdint>
#include <span>

#include "compiler/lower/kernel.h"

namespace vta::compiler::llvm {

/// Errors: throws Error if the module lacks a kernel, names an undefined symbol, has a relocation,
/// a constructor or a library that it needs, or a segment that is writable or thread-local.
void CheckModule(std::span<const uint8_t> module, std::span<const lower::Kernel> kernels);

}  // namespace vta::compiler::llvm
