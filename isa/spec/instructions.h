// The instruction and micro-op words, field by field: the one place that says what a bit means.
// Encoder, decoder, assembler, disassembler, SystemVerilog package, manual, checker and program
// generator all read these rows. Fields are packed upwards in row order; a row with `word` 1 starts
// the upper 64 bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/config.h"
#include "isa/spec/alu_ops.h"
#include "isa/spec/memories.h"
#include "isa/spec/modes.h"
#include "isa/spec/modules.h"

namespace vta::isa {

enum class Opcode : uint8_t { kLoad = 0, kStore = 1, kGemm = 2, kFinish = 3, kAlu = 4, kSet = 5 };

/// A decoded instruction: the fields of every format; those of other formats stay 0.
struct Instruction {
  int64_t opcode = 0;
  int64_t pop_prev = 0, pop_next = 0, push_prev = 0, push_next = 0;
  // LOAD, STORE
  int64_t memory_type = 0, sram_base = 0, dram_base = 0, pad_select = 0;
  int64_t y_size = 0, x_size = 0, x_stride = 0;
  int64_t y_pad_top = 0, y_pad_bottom = 0, x_pad_left = 0, x_pad_right = 0;
  // GEMM, ALU
  int64_t reset = 0, uop_begin = 0, uop_end = 0, iter_out = 0, iter_in = 0;
  int64_t dst_factor_out = 0, dst_factor_in = 0, src_factor_out = 0, src_factor_in = 0;
  int64_t wgt_factor_out = 0, wgt_factor_in = 0, overwrite = 0;
  int64_t alu_opcode = 0, use_imm = 0, imm = 0;
  // SET
  int64_t mode = 0, value = 0;
  bool operator==(const Instruction&) const = default;
};

/// A decoded micro-op. The ALU ignores wgt.
struct Uop {
  int64_t dst = 0, src = 0, wgt = 0;
  bool operator==(const Uop&) const = default;
};

/// log2 of the scratchpad depths: the columns of the config that the layout depends on.
struct LogDepths {
  int uop, inp, wgt, acc;
};

template <typename Record>
struct FieldSpec {
  std::string_view name;
  int (*width)(const LogDepths&);
  int64_t Record::*member;  // nullptr: reserved bits, ignored
  std::string_view meaning;
  bool is_signed = false;
  int word = 0;
  int64_t Arch::*flag = nullptr;  // the extension that has it: 0 bits wide without
};
using InstructionField = FieldSpec<Instruction>;
using UopField = FieldSpec<Uop>;

template <int kBits>
constexpr int Fixed(const LogDepths&) {
  return kBits;
}

#define VTA_COMMON_FIELDS                                                                          \
  {"opcode", Fixed<3>, &Instruction::opcode, "which instruction"},                                 \
      {"pop_prev", Fixed<1>, &Instruction::pop_prev, "wait for a token from the previous module"}, \
      {"pop_next", Fixed<1>, &Instruction::pop_next, "wait for a token from the next module"},     \
      {"push_prev", Fixed<1>, &Instruction::push_prev,                                             \
       "when done, a token to the previous module"},                                               \
  {                                                                                                \
    "push_next", Fixed<1>, &Instruction::push_next, "when done, a token to the next module"        \
  }

#define VTA_LOOP_FIELDS                                                                \
  {"reset", Fixed<1>, &Instruction::reset, "GEMM writes 0; ALU ignores it"},           \
      {"uop_begin", [](const LogDepths& d) { return d.uop; }, &Instruction::uop_begin, \
       "first micro-op"},                                                              \
      {"uop_end", [](const LogDepths& d) { return d.uop + 1; }, &Instruction::uop_end, \
       "one past the last micro-op"},                                                  \
      {"iter_out", Fixed<14>, &Instruction::iter_out, "trips of the outer loop"}, {    \
    "iter_in", Fixed<14>, &Instruction::iter_in, "trips of the inner loop"             \
  }

constexpr int AccBits(const LogDepths& d) { return d.acc; }
constexpr int InpBits(const LogDepths& d) { return d.inp; }
constexpr int WgtBits(const LogDepths& d) { return d.wgt; }

inline constexpr InstructionField kMemoryFields[] = {
    VTA_COMMON_FIELDS,
    {"memory_type", Fixed<3>, &Instruction::memory_type, "which scratchpad"},
    {"sram_base", Fixed<16>, &Instruction::sram_base, "first scratchpad element"},
    {"dram_base", Fixed<32>, &Instruction::dram_base,
     "first DRAM element, in elements of that type from the type's base register"},
    {"pad_select", Fixed<1>, &Instruction::pad_select,
     "pad with the byte of SET instead of 0 (needs pad_value, otherwise ignored)"},
    {"reserved", Fixed<5>, nullptr, "ignored"},
    {"y_size", Fixed<16>, &Instruction::y_size, "rows", false, 1},
    {"x_size", Fixed<16>, &Instruction::x_size, "elements of a row"},
    {"x_stride", Fixed<16>, &Instruction::x_stride, "DRAM elements from row to row"},
    {"y_pad_top", Fixed<4>, &Instruction::y_pad_top, "pad rows before"},
    {"y_pad_bottom", Fixed<4>, &Instruction::y_pad_bottom, "pad rows after"},
    {"x_pad_left", Fixed<4>, &Instruction::x_pad_left, "pad elements before each row"},
    {"x_pad_right", Fixed<4>, &Instruction::x_pad_right, "pad elements after each row"},
};

/// GEMM's overwrite is the top bit of the low word, whatever lies below it.
constexpr int BelowOverwrite(const LogDepths& d) { return 26 - 2 * d.uop; }

inline constexpr InstructionField kGemmFields[] = {
    VTA_COMMON_FIELDS,
    VTA_LOOP_FIELDS,
    {"reserved", BelowOverwrite, nullptr, "ignored"},
    {"overwrite", Fixed<1>, &Instruction::overwrite,
     "writes the product instead of adding it; with reset, 0", false, 0, &Arch::overwrite},
    {"dst_factor_out", AccBits, &Instruction::dst_factor_out, "dst step of the outer loop", false,
     1},
    {"dst_factor_in", AccBits, &Instruction::dst_factor_in, "dst step of the inner loop"},
    {"src_factor_out", InpBits, &Instruction::src_factor_out, "src step of the outer loop"},
    {"src_factor_in", InpBits, &Instruction::src_factor_in, "src step of the inner loop"},
    {"wgt_factor_out", WgtBits, &Instruction::wgt_factor_out, "wgt step of the outer loop"},
    {"wgt_factor_in", WgtBits, &Instruction::wgt_factor_in, "wgt step of the inner loop"},
};

inline constexpr InstructionField kAluFields[] = {
    VTA_COMMON_FIELDS,
    VTA_LOOP_FIELDS,
    {"dst_factor_out", AccBits, &Instruction::dst_factor_out, "dst step of the outer loop", false,
     1},
    {"dst_factor_in", AccBits, &Instruction::dst_factor_in, "dst step of the inner loop"},
    {"src_factor_out", AccBits, &Instruction::src_factor_out, "src step of the outer loop"},
    {"src_factor_in", AccBits, &Instruction::src_factor_in, "src step of the inner loop"},
    {"alu_opcode", Fixed<3>, &Instruction::alu_opcode, "which ALU operation"},
    {"use_imm", Fixed<1>, &Instruction::use_imm, "the operand is imm, not acc[src]"},
    {"imm", Fixed<16>, &Instruction::imm, "immediate operand", true},
};

inline constexpr InstructionField kFinishFields[] = {VTA_COMMON_FIELDS};

inline constexpr InstructionField kSetFields[] = {
    VTA_COMMON_FIELDS,
    {"mode", Fixed<3>, &Instruction::mode, "which mode"},
    {"value", Fixed<16>, &Instruction::value, "its new value"},
};

#undef VTA_COMMON_FIELDS
#undef VTA_LOOP_FIELDS

/// The ALU's src is an accumulator row, GEMM's an input element: the field holds either.
inline constexpr UopField kUopFields[] = {
    {"dst", [](const LogDepths& d) { return d.acc; }, &Uop::dst, "accumulator row"},
    {"src", [](const LogDepths& d) { return std::max(d.acc, d.inp); }, &Uop::src,
     "input element (GEMM) or accumulator row (ALU)"},
    {"wgt", [](const LogDepths& d) { return d.wgt; }, &Uop::wgt, "weight element (GEMM)"},
};

struct InstructionSpec {
  Opcode code;
  std::string_view name;
  std::span<const InstructionField> fields;
  bool (*exists)(const Config&);
  std::string_view meaning;
};

inline constexpr InstructionSpec kInstructions[] = {
    {Opcode::kLoad, "load", kMemoryFields, [](const Config&) { return true; },
     "copies y_size rows of x_size elements from DRAM into a dense, padded scratchpad tile"},
    {Opcode::kStore, "store", kMemoryFields, [](const Config&) { return true; },
     "copies y_size rows of x_size elements from a dense OUT tile to DRAM; pads are ignored"},
    {Opcode::kGemm, "gemm", kGemmFields, [](const Config&) { return true; },
     "acc[dst] += inp[src] x wgt[wgt] transposed, for each iteration and micro-op; also into "
     "out[dst]"},
    {Opcode::kFinish, "finish", kFinishFields, [](const Config&) { return true; },
     "ends the program when all earlier instructions of all modules are done"},
    {Opcode::kAlu, "alu", kAluFields, [](const Config&) { return true; },
     "acc[dst] = op(acc[dst], operand), for each iteration and micro-op; also into out[dst]"},
    {Opcode::kSet, "set", kSetFields, [](const Config& c) { return c.has_set(); },
     "sets a mode of a module (ISA 1.0)"},
};

/// The row of a wire value, or nullptr where this config has no such instruction.
constexpr const InstructionSpec* FindInstruction(const Config& config, int64_t opcode) {
  for (const InstructionSpec& row : kInstructions)
    if (static_cast<int64_t>(row.code) == opcode) return row.exists(config) ? &row : nullptr;
  return nullptr;
}

/// The module whose queue fetch puts an instruction into: STORE to store; LOAD of inp or wgt and
/// SET of a load mode to load; everything else, legal or not, to compute.
constexpr Module Route(const Config& config, const Instruction& insn) {
  if (insn.opcode == static_cast<int64_t>(Opcode::kStore)) return Module::kStore;
  if (insn.opcode == static_cast<int64_t>(Opcode::kLoad)) {
    const MemorySpec* memory = FindMemory(config.arch, insn.memory_type);
    if (memory && memory->loadable) return memory->load_module;
  }
  if (insn.opcode == static_cast<int64_t>(Opcode::kSet) && config.has_set()) {
    const ModeSpec* mode = FindMode(config.arch, insn.mode);
    if (mode) return mode->module;
  }
  return Module::kCompute;
}

}  // namespace vta::isa
