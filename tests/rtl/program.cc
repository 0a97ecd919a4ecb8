#include "tests/rtl/program.h"

#include <algorithm>

#include "isa/gen/systemverilog.h"
#include "tests/rtl/beside.h"
#include "tests/rtl/serial.h"
#include "tests/support/mutate.h"
#include "tests/support/random_program.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

// Beyond what a program's memory is rounded up to.
constexpr int64_t kFarBytes = 1 << 16;

TestProgram Overlapped(const isa::Config& config, Draw& draw, uint64_t seed) {
  const int64_t rows = 8 << draw.UpTo(2);
  return RandomProgram(config, seed, 3 + draw.UpTo(5), rows);
}

/// Makes an instruction's encoding illegal and leaves its module as it is.
bool BreakEncoding(Draw& draw, const isa::Layout& layout, Instruction& insn) {
  for (int tries = 0; tries < 200; ++tries) {
    Instruction broken = insn;
    ChangeField(draw, layout, broken);
    if (Route(layout.config(), broken) != Route(layout.config(), insn) ||
        DecodeFault(layout.config(), broken) == isa::Fault::kNone)
      continue;
    insn = broken;
    return true;
  }
  return false;
}

/// Past the scratchpad, or past the memory, from the first element on.
bool BreakTransfer(Draw& draw, const TestProgram& program, Instruction& insn) {
  const bool load = insn.opcode == static_cast<int64_t>(Opcode::kLoad);
  if (!load && insn.opcode != static_cast<int64_t>(Opcode::kStore)) return false;
  const isa::MemorySpec* memory = isa::FindMemory(program.config.arch, insn.memory_type);
  if (!memory) return false;
  const int64_t depth = DepthOf(program.config.arch, *memory);
  if (draw.OneIn(3) && depth <= 65535) {
    insn.sram_base = depth + draw.UpTo(65535 - depth);
  } else {
    const int64_t first =
        (std::ssize(program.memory) + kFarBytes) / memory->dram_element_bytes(program.config);
    insn.dram_base = draw.OneIn(4) ? 0xffffffff - draw.UpTo(9) : first + draw.UpTo(1000);
  }
  return true;
}

/// A token too few: a push less or a pop more. What is ordered stays ordered.
void LoseToken(Draw& draw, const isa::Config& config, Instruction& insn) {
  const isa::ModuleSpec& module = Spec(Route(config, insn));
  int64_t Instruction::*const push = !module.has_prev || (module.has_next && draw.OneIn(2))
                                         ? &Instruction::push_next
                                         : &Instruction::push_prev;
  int64_t Instruction::*const pop = !module.has_prev || (module.has_next && draw.OneIn(2))
                                        ? &Instruction::pop_next
                                        : &Instruction::pop_prev;
  if (insn.*push)
    insn.*push = 0;
  else
    insn.*pop = 1;
}

void Break(Draw& draw, TestProgram& program) {
  const isa::Layout layout(program.config);
  for (int tries = 0; tries < 50; ++tries) {
    Instruction& insn = program.instructions[draw.UpTo(std::ssize(program.instructions) - 1)];
    switch (draw.UpTo(4)) {
      case 0:
        LoseToken(draw, program.config, insn);
        return;
      case 1:
      case 2:
        if (BreakEncoding(draw, layout, insn)) return;
        break;
      default:
        if (BreakTransfer(draw, program, insn)) return;
    }
  }
}

RtlProgram Illegal(const isa::Config& config, Draw& draw, uint64_t seed) {
  RtlProgram out;
  if (draw.OneIn(2)) {
    out.program = SerialProgram(config, seed, 6);
    return out;
  }
  out.program = Overlapped(config, draw, seed);
  if (draw.OneIn(6)) {
    out.program.instructions.pop_back();  // FINISH
    if (draw.OneIn(2)) out.fetch_past = 1 + draw.UpTo(300);
    return out;
  }
  for (int64_t n = 1 + draw.UpTo(1); n > 0; --n) Break(draw, out.program);
  return out;
}

/// Instructions that move nothing to or from memory, with random tokens.
TestProgram Tokens(const isa::Config& config, Draw& draw) {
  TestProgram program;
  program.config = config;
  program.memory.resize(kFarBytes);
  // Some of the modules, so that nobody else takes or gives what one waits for.
  const int64_t modules = 1 + draw.UpTo(6);
  for (int64_t n = 2 + draw.UpTo(22); n > 0;) {
    const int64_t one = draw.UpTo(2);
    if (!(modules >> one & 1)) continue;
    --n;
    const auto module = static_cast<Module>(one);
    Instruction insn = Carrier(draw, module);
    // Short ones that overlap.
    if (module == Module::kCompute && draw.OneIn(2))
      insn = {.opcode = static_cast<int64_t>(draw.OneIn(3) ? Opcode::kAlu : Opcode::kGemm),
              .uop_end = 1 + draw.UpTo(2),
              .iter_out = 1,
              .iter_in = 1,
              .use_imm = 1};
    if (Spec(module).has_prev || draw.OneIn(60)) {
      insn.pop_prev = draw.OneIn(4);
      insn.push_prev = draw.OneIn(2);
    }
    if (Spec(module).has_next || draw.OneIn(60)) {
      insn.pop_next = draw.OneIn(4);
      insn.push_next = draw.OneIn(2);
    }
    program.instructions.push_back(insn);
  }
  if (!draw.OneIn(12))
    program.instructions.push_back({.opcode = static_cast<int64_t>(Opcode::kFinish)});
  return program;
}

TestProgram Racy(const isa::Config& config, Draw& draw, uint64_t seed) {
  TestProgram program = Overlapped(config, draw, seed);
  std::mt19937_64 random(seed);
  std::string unused;
  for (int64_t n = 1 + draw.UpTo(3); n > 0; --n) program = MutateTokens(program, random, unused);
  return program;
}

}  // namespace

std::string_view ProgramKindName(ProgramKind kind) {
  constexpr std::string_view kNames[] = {"overlapped", "serial", "illegal",
                                         "tokens",     "racy",   "beside"};
  return kNames[static_cast<int>(kind)];
}

RtlProgram RandomRtlProgram(const isa::Config& config, ProgramKind kind, uint64_t seed) {
  Draw draw(seed);
  RtlProgram out;
  switch (kind) {
    case ProgramKind::kOverlapped:
      out.program = Overlapped(config, draw, seed);
      break;
    case ProgramKind::kSerial:
      out.program = SerialProgram(config, seed, 400);
      break;
    case ProgramKind::kIllegal:
      out = Illegal(config, draw, seed);
      break;
    case ProgramKind::kTokens:
      out.program = Tokens(config, draw);
      break;
    case ProgramKind::kRacy:
      out.program = Racy(config, draw, seed);
      break;
    case ProgramKind::kBeside:
      out.program = BesideProgram(config, seed);
      break;
  }
  out.code_offset = isa::kInstructionBytes * draw.UpTo(40);
  return out;
}

namespace {

/// Each row of a scratchpad, from one element of memory and pads behind it, which hide nothing of
/// what the launch before left.
Instruction FillAll(const isa::Config& config, MemoryType type) {
  const int64_t depth = DepthOf(config.arch, isa::kMemories[static_cast<int>(type)]);
  const int64_t width = std::min<int64_t>(depth, 8);
  Instruction insn = LoadRows(type, 0, 1, 0);
  insn.y_size = depth / width, insn.x_pad_right = width - 1;
  return insn;
}

}  // namespace

RtlProgram RefillProgram(const isa::Config& config, uint64_t seed) {
  Draw draw(seed);
  RtlProgram out;
  TestProgram& program = out.program;
  program.config = config;
  const int64_t rows = std::max(config.arch.inp_depth, config.arch.wgt_depth) / 8 + 1;
  program.memory.resize(rows *
                        std::max({config.inp_bytes(), config.wgt_bytes(), config.acc_bytes()}));
  for (uint8_t& byte : program.memory) byte = static_cast<uint8_t>(draw.UpTo(255));
  std::vector<isa::Uop> uops(config.arch.uop_depth);
  for (isa::Uop& uop : uops) uop = {draw.UpTo(3), draw.UpTo(3), draw.UpTo(3)};
  uops[0] = {};
  const int64_t element = AppendUops(program, uops);
  program.instructions = {FillAll(config, MemoryType::kInp),
                          FillAll(config, MemoryType::kWgt),
                          LoadRows(MemoryType::kUop, 0, config.arch.uop_depth, element),
                          {.opcode = static_cast<int64_t>(Opcode::kGemm),
                           .reset = 1,
                           .uop_end = 1,
                           .iter_out = 1,
                           .iter_in = config.arch.acc_depth,
                           .dst_factor_in = 1},
                          FillAll(config, MemoryType::kAcc),
                          {.opcode = static_cast<int64_t>(Opcode::kFinish)}};
  if (config.arch.lut)
    program.instructions.insert(program.instructions.begin(), LoadRows(MemoryType::kLut, 0, 1, 0));
  return out;
}

}  // namespace vta::test
