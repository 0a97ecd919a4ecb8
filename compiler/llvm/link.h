// The linker, in this process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vta::compiler::llvm {

/// A shared object of object files, in their order. Errors: throws Error with what the linker says,
/// for example which symbol is undefined.
std::vector<uint8_t> Link(std::span<const std::vector<uint8_t>> objects);

}  // namespace vta::compiler::llvm
