#include "isa/layout.h"

namespace vta::isa {

LogDepths DepthsOf(const Arch& arch) {
  return {Log2(arch.uop_depth), Log2(arch.inp_depth), Log2(arch.wgt_depth), Log2(arch.acc_depth)};
}

Layout::Layout(const Config& config) : config_(config), depths_(DepthsOf(config.arch)) {
  for (int64_t opcode = 0; opcode < 8; ++opcode) {
    const InstructionSpec* row = FindInstruction(config, opcode);
    by_opcode_[opcode] =
        Place(row ? row->fields : std::span<const InstructionField>(kFinishFields), config.arch);
  }
  uop_ = Place(std::span<const UopField>(kUopFields), config.arch);
}

}  // namespace vta::isa
