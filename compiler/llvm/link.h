// The linker, in this process.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vta::compiler::llvm {

/// A shared object of one object file. Errors: throws Error with what the linker says, for example
/// which symbol is undefined.
std::vector<uint8_t> Link(std::span<const uint8_t> object);

}  // namespace vta::compiler::llvm
