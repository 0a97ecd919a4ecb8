#include "tests/support/noise.h"

#include "tests/support/random_kernels.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Opcode;

/// A transfer of a few elements, near the start of everything.
Instruction Transfer(Draw& draw, Opcode opcode, MemoryType type) {
  Instruction insn = LoadRows(type, draw.UpTo(3), 1 + draw.UpTo(3), draw.UpTo(12));
  insn.opcode = static_cast<int64_t>(opcode);
  insn.y_size = 1 + draw.UpTo(1);
  insn.x_stride = draw.UpTo(5);
  if (opcode == Opcode::kLoad && type != MemoryType::kUop && draw.OneIn(4)) {
    insn.x_pad_left = draw.UpTo(2);
    insn.y_pad_bottom = draw.UpTo(1);
  }
  return insn;
}

Instruction Loops(Draw& draw, Opcode opcode) {
  Instruction insn{.opcode = static_cast<int64_t>(opcode)};
  insn.reset = draw.UpTo(1);
  insn.uop_begin = draw.UpTo(2), insn.uop_end = insn.uop_begin + draw.UpTo(2);
  insn.iter_out = draw.UpTo(3), insn.iter_in = 1 + draw.UpTo(2);
  insn.dst_factor_out = draw.UpTo(2), insn.dst_factor_in = draw.UpTo(2);
  insn.src_factor_out = draw.UpTo(2), insn.src_factor_in = draw.UpTo(1);
  if (opcode == Opcode::kGemm) {
    insn.overwrite = draw.OneIn(3);
    insn.wgt_factor_out = draw.UpTo(2), insn.wgt_factor_in = draw.UpTo(1);
  } else {
    insn.alu_opcode = draw.UpTo(3);
    insn.use_imm = draw.UpTo(1);
  }
  return insn;
}

Instruction Any(Draw& draw) {
  switch (draw.UpTo(11)) {
    case 0:
    case 1:
      return Transfer(draw, Opcode::kLoad, MemoryType::kInp);
    case 2:
      return Transfer(draw, Opcode::kLoad, MemoryType::kWgt);
    case 3:
      return Transfer(draw, Opcode::kLoad, MemoryType::kAcc);
    case 4:
    case 10:
    case 11:
      return Transfer(draw, Opcode::kLoad, MemoryType::kUop);
    case 5:
    case 6:
      return Transfer(draw, Opcode::kStore, MemoryType::kOut);
    case 7:
      return Loops(draw, Opcode::kGemm);
    default:
      return Loops(draw, Opcode::kAlu);
  }
}

}  // namespace

TestProgram NoiseProgram(uint64_t seed) {
  Draw draw(seed);
  TestProgram program;
  program.config.version = isa::Version::k100;
  isa::Arch& arch = program.config.arch;
  arch.overwrite = 1;
  arch.block_in = arch.block_out = 8;
  arch.uop_depth = 16, arch.inp_depth = arch.wgt_depth = arch.acc_depth = 8;
  arch.token_capacity = 1 + draw.UpTo(2);
  std::vector<isa::Uop> uops(64);
  for (isa::Uop& uop : uops) uop = {draw.UpTo(2), draw.UpTo(2), draw.UpTo(2)};
  AppendUops(program, uops);
  program.memory.resize(2048);
  // Far apart or near: then types, and micro-ops, share bytes.
  const bool near = draw.OneIn(2);
  program.bases = {0, 512, 128, 640, near ? 20 : 1600};

  // With this start nothing that follows reads an unwritten row.
  if (!draw.OneIn(4)) {
    for (auto type : {MemoryType::kInp, MemoryType::kWgt, MemoryType::kAcc})
      program.instructions.push_back(LoadRows(type, 0, 8, 0));
    program.instructions.push_back(LoadRows(MemoryType::kUop, 0, 16, 0));
    program.instructions[1].push_next = program.instructions[3].pop_prev = 1;
    Instruction all = Loops(draw, Opcode::kGemm);
    all = {.opcode = all.opcode,
           .push_next = 1,
           .reset = 1,
           .uop_end = 8,
           .iter_out = 2,
           .iter_in = 4,
           .dst_factor_out = 2,
           .dst_factor_in = 1};
    program.instructions.push_back(all);
    program.instructions.push_back(Carrier(draw, isa::Module::kStore));
    program.instructions.back().pop_prev = 1;
  }
  for (int64_t n = 1 + draw.UpTo(5); n > 0; --n) {
    Instruction insn = Any(draw);
    const isa::ModuleSpec& module = Spec(Route(program.config, insn));
    if (module.has_prev) insn.pop_prev = draw.OneIn(7), insn.push_prev = draw.OneIn(3);
    if (module.has_next) insn.pop_next = draw.OneIn(7), insn.push_next = draw.OneIn(3);
    program.instructions.push_back(insn);
  }
  program.instructions.push_back({.opcode = static_cast<int64_t>(Opcode::kFinish)});
  return program;
}

}  // namespace vta::test
