#include "tests/rtl/program.h"

#include <algorithm>
#include <random>

#include "isa/gen/systemverilog.h"

namespace vta::test {
namespace {

using isa::Instruction;
using isa::MemoryType;
using isa::Module;
using isa::Opcode;

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kDataPages = 24;

class Generator {
 public:
  Generator(const isa::Config& config, uint64_t seed) : random_(seed), layout_(config) {
    program_.config = config;
  }

  TestProgram Run(ProgramKind kind) {
    FillMemory();
    // Nearly all programs are tame; in a wild one any field may be anything.
    wild_ = OneIn(12);
    const int64_t count = 2 + Below(kind == ProgramKind::kTokens ? 24 : 20);
    for (int64_t i = 0; i < count; ++i)
      kind == ProgramKind::kTokens ? AddCarrier() : AddSerial(AnyInstruction());
    if (!OneIn(12)) {
      Instruction finish{.opcode = static_cast<int64_t>(Opcode::kFinish)};
      kind == ProgramKind::kTokens ? program_.instructions.push_back(finish) : AddSerial(finish);
    }
    return std::move(program_);
  }

 private:
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }

  void FillMemory() {
    program_.memory.resize(static_cast<size_t>(kDataPages * kPageBytes));
    const bool edges = OneIn(3);
    for (uint8_t& byte : program_.memory) {
      byte = static_cast<uint8_t>(random_());
      if (edges && OneIn(2)) byte = OneIn(2) ? 0x80 : 0x7f;
    }
    for (const isa::MemorySpec& row : isa::kMemories)
      if (row.code != MemoryType::kAcc8)
        program_.bases[isa::BaseRegister(row.code)] =
            Below(4) * isa::BaseAlignmentBytes(program_.config, row.code);
    // Micro-ops that mostly stay inside: all over the first pages.
    const isa::Arch& arch = program_.config.arch;
    const int64_t rows = OneIn(2) ? 4 : arch.acc_depth > 64 ? 64 : arch.acc_depth / 2;
    for (int64_t i = 0; i < 512; ++i) {
      const isa::Uop uop{Below(std::min(rows, arch.acc_depth)),
                         Below(std::min({rows, arch.acc_depth, arch.inp_depth})),
                         Below(std::min(rows, arch.wgt_depth))};
      const uint32_t word = isa::EncodeUop(layout_, uop);
      for (int b = 0; b < 4; ++b)
        program_.memory[static_cast<size_t>(program_.bases[0] + 4 * i + b)] =
            static_cast<uint8_t>(word >> (8 * b));
    }
  }

  // Small values mostly; the ends of the field now and then.
  int64_t Value(int64_t low, int64_t high, int64_t small) {
    if (wild_ && OneIn(6)) return OneIn(2) ? high : Between(low, high);
    return std::clamp(Between(low < 0 ? -small : 0, small), low, high);
  }

  Instruction AnyInstruction() {
    if (OneIn(150)) return {.opcode = Below(8)};
    const int64_t pick = Below(16);
    if (pick < 3) return Transfer(Opcode::kLoad, MemoryType::kInp);
    if (pick < 5) return Transfer(Opcode::kLoad, MemoryType::kWgt);
    if (pick < 7) return Transfer(Opcode::kLoad, OneIn(3) ? MemoryType::kAcc8 : MemoryType::kAcc);
    if (pick < 9) return Transfer(Opcode::kLoad, MemoryType::kUop);
    if (pick < 11) return Transfer(Opcode::kStore, MemoryType::kOut);
    if (pick < 13) return Loop(Opcode::kGemm);
    if (pick < 15) return Loop(Opcode::kAlu);
    // SET: of a mode that exists, mostly; pads take any byte.
    const int64_t pad = OneIn(2) ? Below(256) : 0;
    if (pad > 0 && program_.config.arch.pad_value)
      return {.opcode = static_cast<int64_t>(Opcode::kSet), .mode = Below(2), .value = pad};
    if (!program_.config.has_set() && !OneIn(20)) return Loop(Opcode::kAlu);
    return {.opcode = static_cast<int64_t>(Opcode::kSet),
            .mode = OneIn(60) ? Below(8) : Below(3),
            .value = OneIn(60) ? Below(65536) : Below(2)};
  }

  Instruction Transfer(Opcode opcode, MemoryType type) {
    Instruction insn{.opcode = static_cast<int64_t>(opcode),
                     .memory_type = static_cast<int64_t>(type)};
    if (OneIn(150)) insn.memory_type = Below(8);
    const isa::MemorySpec& memory = isa::kMemories[static_cast<int>(type)];
    const int64_t depth = program_.config.arch.*memory.depth;
    const int64_t bytes = memory.dram_element_bytes(program_.config);
    const int64_t reach = kDataPages * kPageBytes / 2 / bytes;
    const bool uop = type == MemoryType::kUop;
    insn.sram_base = OneIn(40) ? std::min<int64_t>(depth - Below(8), 65535)
                               : Value(0, 65535, std::min<int64_t>(depth / 4, 40));
    insn.dram_base = Value(0, 0xffffffff, std::min<int64_t>(uop ? 100 : 40, reach));
    if (OneIn(20)) {  // around the end of the memory
      const int64_t base = program_.bases[isa::BaseRegister(type)];
      insn.dram_base = (std::ssize(program_.memory) - base) / bytes - Below(10);
    }
    insn.pad_select = Below(2);
    insn.y_size = Value(0, 65535, 4);
    insn.x_size = Value(0, 65535, uop ? 40 : OneIn(4) ? 20 : 5);
    insn.x_stride = OneIn(2) ? insn.x_size : Value(0, 65535, 8);
    if ((!uop && OneIn(2)) || OneIn(150)) {
      insn.y_pad_top = Below(3);
      insn.y_pad_bottom = Below(3);
      insn.x_pad_left = OneIn(10) ? Below(16) : Below(3);
      insn.x_pad_right = OneIn(10) ? Below(16) : Below(3);
    }
    return insn;
  }

  Instruction Loop(Opcode opcode) {
    const isa::LogDepths& depths = layout_.log_depths();
    Instruction insn{.opcode = static_cast<int64_t>(opcode)};
    const bool gemm = opcode == Opcode::kGemm;
    const int64_t acc = (int64_t{1} << depths.acc) - 1, inp = (int64_t{1} << depths.inp) - 1,
                  wgt = (int64_t{1} << depths.wgt) - 1, uop = (int64_t{1} << depths.uop) - 1;
    insn.reset = OneIn(4);
    insn.uop_begin = Value(0, uop, 6);
    insn.uop_end = Value(0, 2 * uop + 1, 2) + insn.uop_begin;
    insn.uop_end = std::min(insn.uop_end + Below(6), 2 * uop + 1);
    insn.iter_out = std::min<int64_t>(Value(0, 16383, 3), 40);
    insn.iter_in = std::min<int64_t>(Value(0, 16383, 3), 40);
    if (!wild_ || OneIn(2)) {
      insn.iter_out = std::max<int64_t>(insn.iter_out, 1);
      insn.iter_in = std::max<int64_t>(insn.iter_in, 1);
    }
    const auto factor = [&](int64_t high) {
      return Value(0, high, std::max<int64_t>(1, high / 16));
    };
    insn.dst_factor_out = factor(acc);
    insn.dst_factor_in = factor(acc);
    insn.src_factor_out = factor(gemm ? inp : acc);
    insn.src_factor_in = factor(gemm ? inp : acc);
    if (gemm) {
      insn.wgt_factor_out = factor(wgt);
      insn.wgt_factor_in = factor(wgt);
    } else {
      insn.alu_opcode = OneIn(3) ? 5 - Below(2) : OneIn(40) ? Below(8) : Below(6);
      const bool switched_off =
          insn.alu_opcode < 6 && !isa::FindAluOp(program_.config.arch, insn.alu_opcode);
      if (switched_off && !OneIn(20)) insn.alu_opcode = Below(4);
      insn.use_imm = insn.alu_opcode == 5 ? OneIn(60) : OneIn(2);
      insn.imm = OneIn(3) ? Between(-32768, 32767) : Between(-40, 40);
    }
    return insn;
  }

  // Hands the turn from the module of the last instruction to that of this one.
  void AddSerial(Instruction insn) {
    const Module to = Route(program_.config, insn);
    if (program_.instructions.empty()) {
      if (to != Module::kCompute) AddNop(Module::kCompute);
      if (to != Module::kCompute) Link(to, insn);
    } else if (to != last_) {
      if (last_ != Module::kCompute && to != Module::kCompute) {
        Instruction between{.opcode = static_cast<int64_t>(Opcode::kGemm)};
        Link(Module::kCompute, between);
        Push(between);
      }
      Link(to, insn);
    }
    Push(insn);
  }
  void AddNop(Module) { Push({.opcode = static_cast<int64_t>(Opcode::kGemm)}); }
  void Link(Module to, Instruction& insn) {
    Instruction& from = program_.instructions.back();
    (last_ == Module::kLoad || to == Module::kStore ? from.push_next : from.push_prev) = 1;
    (to == Module::kLoad || last_ == Module::kStore ? insn.pop_next : insn.pop_prev) = 1;
  }
  void Push(const Instruction& insn) {
    program_.instructions.push_back(insn);
    last_ = Route(program_.config, insn);
  }

  void AddCarrier() {
    Instruction insn;
    const int64_t module = Below(3);
    insn.opcode = static_cast<int64_t>(module == 0   ? Opcode::kLoad
                                       : module == 1 ? Opcode::kGemm
                                                     : Opcode::kStore);
    if (module == 0) insn.memory_type = static_cast<int64_t>(MemoryType::kInp);
    if (module == 2) insn.memory_type = static_cast<int64_t>(MemoryType::kOut);
    if (module != 0 || OneIn(60)) {
      insn.pop_prev = OneIn(4);
      insn.push_prev = OneIn(2);
    }
    if (module != 2 || OneIn(60)) {
      insn.pop_next = OneIn(4);
      insn.push_next = OneIn(2);
    }
    program_.instructions.push_back(insn);
  }

  std::mt19937_64 random_;
  isa::Layout layout_;
  TestProgram program_;
  Module last_ = Module::kCompute;
  bool wild_ = false;
};

}  // namespace

TestProgram RandomRtlProgram(const isa::Config& config, ProgramKind kind, uint64_t seed) {
  return Generator(config, seed).Run(kind);
}

}  // namespace vta::test
