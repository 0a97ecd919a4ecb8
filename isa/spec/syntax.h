// How the fields of an instruction are written as text: a row for each operand that is more than
// its field's name and a number. A field without a row is written by its own name: bare when it is
// one bit wide, as name=value otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/spec/instructions.h"

namespace vta::isa {

enum class OperandForm : uint8_t {
  kFlag,    // name               a field of one bit
  kList,    // name=value,value   a value for each field
  kRange,   // name=value:value   two fields
  kSuffix,  // .code              after the mnemonic
  kKeyed,   // code=value         a code, then a second field
};

/// The name of a wire value, or "" where it names nothing (it is then written as a number).
template <auto& kRows>
constexpr std::string_view CodeName(int64_t code) {
  for (const auto& row : kRows)
    if (static_cast<int64_t>(row.code) == code) return row.name;
  return "";
}

struct OperandSpec {
  std::string_view name;  // of kSuffix and kKeyed: what messages call it
  OperandForm form;
  std::array<int64_t Instruction::*, 4> fields;           // unused ones are nullptr
  int64_t absent = 0;                                     // each field where it is not written
  bool quiet = false;                                     // not printed where it equals that
  bool address = false;                                   // printed in hex; takes a label
  int64_t Instruction::*present = nullptr;                // the bit that says it is there
  std::string_view (*code_name)(int64_t code) = nullptr;  // of kSuffix and kKeyed
};

inline constexpr OperandSpec kOperands[] = {
    {.name = "memory type",
     .form = OperandForm::kSuffix,
     .fields = {&Instruction::memory_type},
     .code_name = CodeName<kMemories>},
    {.name = "operation",
     .form = OperandForm::kSuffix,
     .fields = {&Instruction::alu_opcode},
     .code_name = CodeName<kAluOps>},
    {.name = "mode",
     .form = OperandForm::kKeyed,
     .fields = {&Instruction::mode, &Instruction::value},
     .code_name = CodeName<kModeTable>},
    {.name = "sram", .form = OperandForm::kList, .fields = {&Instruction::sram_base}},
    {.name = "dram",
     .form = OperandForm::kList,
     .fields = {&Instruction::dram_base},
     .address = true},
    {.name = "y", .form = OperandForm::kList, .fields = {&Instruction::y_size}, .absent = 1},
    {.name = "x", .form = OperandForm::kList, .fields = {&Instruction::x_size}},
    {.name = "stride", .form = OperandForm::kList, .fields = {&Instruction::x_stride}},
    {.name = "pad",  // top, bottom, left, right
     .form = OperandForm::kList,
     .fields = {&Instruction::y_pad_top, &Instruction::y_pad_bottom, &Instruction::x_pad_left,
                &Instruction::x_pad_right},
     .quiet = true},
    {.name = "uop",
     .form = OperandForm::kRange,
     .fields = {&Instruction::uop_begin, &Instruction::uop_end}},
    {.name = "out", .form = OperandForm::kList, .fields = {&Instruction::iter_out}, .absent = 1},
    {.name = "in", .form = OperandForm::kList, .fields = {&Instruction::iter_in}, .absent = 1},
    {.name = "dst",  // outer, inner
     .form = OperandForm::kList,
     .fields = {&Instruction::dst_factor_out, &Instruction::dst_factor_in}},
    {.name = "src",
     .form = OperandForm::kList,
     .fields = {&Instruction::src_factor_out, &Instruction::src_factor_in}},
    {.name = "wgt",
     .form = OperandForm::kList,
     .fields = {&Instruction::wgt_factor_out, &Instruction::wgt_factor_in}},
    {.name = "imm",
     .form = OperandForm::kList,
     .fields = {&Instruction::imm},
     .quiet = true,
     .present = &Instruction::use_imm},
};

}  // namespace vta::isa
