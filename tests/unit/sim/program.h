// A small machine with its memory, for tests: instructions are appended, operands put, then it
// runs.
#pragma once

#include <cstring>
#include <initializer_list>
#include <vector>

#include "isa/codec.h"
#include "isa/launch.h"
#include "sim/functional/machine.h"

namespace vta::sim {

/// All extensions on, small enough for exhaustive looks.
inline isa::Config SmallConfig() {
  isa::Config config;
  config.name = "small";
  config.version = isa::Version::k100;
  config.arch = {.batch = 1,
                 .block_in = 4,
                 .block_out = 4,
                 .uop_depth = 16,
                 .inp_depth = 16,
                 .wgt_depth = 16,
                 .acc_depth = 16,
                 .acc8 = 1,
                 .pad_value = 1,
                 .overwrite = 1,
                 .token_capacity = 3};
  for (const isa::AluOpSpec& row : isa::kAluOps)
    if (row.flag) config.arch.*row.flag = 1;
  return config;
}

/// Instructions by name.
inline isa::Instruction Insn(isa::Opcode opcode) {
  isa::Instruction insn;
  insn.opcode = static_cast<int64_t>(opcode);
  return insn;
}
inline isa::Instruction Finish() { return Insn(isa::Opcode::kFinish); }
inline isa::Instruction Transfer(isa::Opcode opcode, isa::MemoryType type, int64_t sram,
                                 int64_t dram, int64_t rows, int64_t columns, int64_t stride) {
  isa::Instruction insn = Insn(opcode);
  insn.memory_type = static_cast<int64_t>(type);
  insn.sram_base = sram;
  insn.dram_base = dram;
  insn.y_size = rows;
  insn.x_size = columns;
  insn.x_stride = stride;
  return insn;
}
inline isa::Instruction LoadOf(isa::MemoryType type, int64_t sram, int64_t dram, int64_t count) {
  return Transfer(isa::Opcode::kLoad, type, sram, dram, 1, count, count);
}
inline isa::Instruction StoreOf(int64_t sram, int64_t dram, int64_t count) {
  return Transfer(isa::Opcode::kStore, isa::MemoryType::kOut, sram, dram, 1, count, count);
}
inline isa::Instruction Loop(isa::Opcode opcode, int64_t uop_begin, int64_t uop_end) {
  isa::Instruction insn = Insn(opcode);
  insn.uop_begin = uop_begin;
  insn.uop_end = uop_end;
  insn.iter_out = insn.iter_in = 1;
  return insn;
}
inline isa::Instruction Alu(isa::AluOp op, int64_t uop_begin, int64_t uop_end) {
  isa::Instruction insn = Loop(isa::Opcode::kAlu, uop_begin, uop_end);
  insn.alu_opcode = static_cast<int64_t>(op);
  return insn;
}
inline isa::Instruction AluImm(isa::AluOp op, int64_t uop_begin, int64_t uop_end, int64_t imm) {
  isa::Instruction insn = Alu(op, uop_begin, uop_end);
  insn.use_imm = 1;
  insn.imm = imm;
  return insn;
}

/// A machine whose program starts at kCode and whose DRAM addresses below it are data.
class Bench {
 public:
  static constexpr uint64_t kCode = 0x4000;

  explicit Bench(const isa::Config& config = SmallConfig(), const MachineOptions& options = {})
      : machine(config, options), dram(0x8000) {}

  Bench& Add(const isa::Instruction& insn) {
    isa::StoreWord(isa::Encode(machine.layout(), insn), dram.data() + kCode + 16 * count++);
    return *this;
  }
  template <typename T>
  void Put(int64_t address, std::initializer_list<T> values) {
    std::memcpy(dram.data() + address, std::data(values), values.size() * sizeof(T));
  }
  void PutUops(int64_t address, std::initializer_list<isa::Uop> uops) {
    for (const isa::Uop& uop : uops) {
      const uint32_t word = isa::EncodeUop(machine.layout(), uop);
      std::memcpy(dram.data() + address, &word, sizeof word);
      address += sizeof word;
    }
  }
  isa::LaunchResult Run() {
    isa::LaunchRequest launch;
    launch.instruction_address = kCode;
    launch.instruction_count = count;
    count = 0;
    return machine.Run(launch, dram);
  }
  std::vector<int32_t> Acc(int64_t row) const {
    const Scratchpads& p = machine.scratchpads();
    return {p.acc.data() + row * p.acc_row, p.acc.data() + (row + 1) * p.acc_row};
  }
  std::vector<int> Out(int64_t row) const {
    const Scratchpads& p = machine.scratchpads();
    return {p.out.data() + row * p.acc_row, p.out.data() + (row + 1) * p.acc_row};
  }
  std::vector<int> Inp(int64_t row) const {
    const Scratchpads& p = machine.scratchpads();
    return {p.inp.data() + row * p.inp_row, p.inp.data() + (row + 1) * p.inp_row};
  }

  Machine machine;
  std::vector<uint8_t> dram;
  int64_t count = 0;
};

}  // namespace vta::sim
