#include "isa/counting.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/spec/memories.h"
#include "isa/spec/modules.h"

namespace vta::isa {

int64_t MicroOps(const Instruction& insn) {
  return insn.iter_out * insn.iter_in * std::max<int64_t>(0, insn.uop_end - insn.uop_begin);
}

Counters CountersOf(const Layout& layout, std::span<const Word> program) {
  Counters counters;
  for (const Word word : program) {
    const Instruction insn = Decode(layout, word);
    ++counters.instructions[insn.opcode];
    const Module module = Route(layout.config(), insn);
    const auto push = [&](bool next) {
      ++counters.tokens[static_cast<size_t>(PushQueue(module, next))];
    };
    if (insn.push_prev) push(false);
    if (insn.push_next) push(true);
    switch (static_cast<Opcode>(insn.opcode)) {
      case Opcode::kLoad:
      case Opcode::kStore:
        for (const MemorySpec& memory : kMemories)
          if (static_cast<int64_t>(memory.code) == insn.memory_type)
            counters.bytes[static_cast<size_t>(CountedAs(memory.code))] +=
                insn.x_size * insn.y_size * memory.dram_element_bytes(layout.config());
        break;
      case Opcode::kGemm:
        counters.gemm_uops += MicroOps(insn);
        if (!insn.reset) counters.macs += MicroOps(insn) * layout.config().macs_per_cycle();
        break;
      case Opcode::kAlu:
        counters.alu_uops += MicroOps(insn);
        break;
      default:
        break;
    }
  }
  return counters;
}

}  // namespace vta::isa
