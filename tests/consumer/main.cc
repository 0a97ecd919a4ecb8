// Uses the installed headers and library as the repository's own code does: loads the config named
// by the argument, encodes the instruction that ends a program and decodes it again.
#include <iostream>

#include "isa/codec.h"
#include "isa/config.h"
#include "isa/support/error.h"

int main(int argc, char** argv) {
  try {
    const vta::isa::Layout layout(vta::isa::LoadConfig(argc > 1 ? argv[1] : "no config"));
    const vta::isa::Instruction finish{.opcode = static_cast<int64_t>(vta::isa::Opcode::kFinish)};
    const vta::isa::Word word = vta::isa::Encode(layout, finish);
    const bool same = vta::isa::Decode(layout, word).opcode == finish.opcode;
    std::cout << layout.config().name << ": " << (same ? "same" : "different") << "\n";
    return same ? 0 : 1;
  } catch (const vta::Error& error) {
    std::cout << error.what() << "\n";
    return 1;
  }
}
