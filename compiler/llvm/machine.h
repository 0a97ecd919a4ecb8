// The machine that code is made for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vta::compiler::llvm {

struct Machine {
  std::string triple;                 // normalised, of four parts
  std::string tune_cpu;               // whose timing is assumed; it adds no instruction
  std::vector<std::string> features;  // LLVM's names, without '+'; of a GPU what it is at least
  int64_t vector_bits = 128;          // the widest vectors that are to be used

  bool Has(std::string_view feature) const;
};

/// What follows from the triple and the features.
struct MachineTraits {
  std::string arch;      // "x86_64", "aarch64", "armv7", or that of PTX
  std::string base_cpu;  // whose instructions are always there
  std::string features;  // "+a,+b", with those that the architecture always has
  int pointer_bits;
  int counter_bits;   // of a register that counts at no more than it must
  int access_bytes;   // what an instruction moves at most where its address is a multiple of that
  bool copies_aside;  // from memory to that of a block, while threads go on
  bool has_warp_products;  // of a GPU: warps multiply matrices
  bool rounds;             // instructions for floor and round to even
  bool divides;            // instructions for division of 32-bit and 64-bit integers
  bool converts_64;        // instructions between float and 64-bit integers
};

/// Errors: throws Error where the triple names no architecture that code is made for, or has not
/// four parts.
MachineTraits TraitsOf(const Machine& machine);

}  // namespace vta::compiler::llvm
