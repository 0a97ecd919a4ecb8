#include "isa/asm/syntax.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/support/error.h"

namespace vta::isa {
namespace {

using Member = int64_t Instruction::*;

const PlacedField<Instruction>* FieldOf(const std::vector<PlacedField<Instruction>>& fields,
                                        Member member) {
  for (const auto& field : fields)
    if (field.spec->member == member) return &field;
  return nullptr;
}

std::string CodeText(const OperandSpec& spec, int64_t code) {
  const std::string_view name = spec.code_name(code);
  return name.empty() ? std::to_string(code) : std::string(name);
}

}  // namespace

Syntax::Syntax(const Layout& layout) : layout_(layout) {
  for (int64_t opcode = 0; opcode < 8; ++opcode) operands_[opcode] = OperandsOf(opcode);
}

std::vector<Syntax::Operand> Syntax::OperandsOf(int64_t opcode) const {
  const auto& fields = layout_.Fields(opcode);
  std::vector<Operand> out;
  std::vector<Member> taken = {nullptr, &Instruction::opcode};
  for (const OperandSpec& row : kOperands) {
    Operand operand{row, {}};
    bool complete = !row.present || FieldOf(fields, row.present);
    for (Member member : row.fields) {
      if (!member) continue;
      const auto* field = FieldOf(fields, member);
      complete = complete && field;
      if (field) operand.fields.push_back(*field);
    }
    if (!complete) continue;
    taken.insert(taken.end(), row.fields.begin(), row.fields.end());
    taken.push_back(row.present);
    out.push_back(operand);
  }
  for (const auto& field : fields) {
    const Member member = field.spec->member;
    if (field.width == 0) continue;
    if (std::find(taken.begin(), taken.end(), member) != taken.end()) continue;
    const auto form = field.width == 1 ? OperandForm::kFlag : OperandForm::kList;
    out.push_back(
        {{.name = field.spec->name, .form = form, .fields = {member}, .quiet = true}, {field}});
  }
  return out;
}

const Syntax::Operand* Syntax::Suffix(int64_t opcode) const {
  for (const Operand& operand : operands_[opcode])
    if (operand.spec.form == OperandForm::kSuffix) return &operand;
  return nullptr;
}

bool Syntax::IsWritable(const Instruction& insn) const {
  for (const Operand& operand : operands_[insn.opcode])
    if (operand.spec.present && !(insn.*operand.spec.present))
      for (const auto& field : operand.fields)
        if (insn.*field.spec->member != operand.spec.absent) return false;
  return true;
}

std::string Syntax::PrintOperand(const Operand& operand, const Instruction& insn) const {
  const OperandSpec& spec = operand.spec;
  const auto value = [&](size_t i) { return insn.*operand.fields[i].spec->member; };
  if (spec.form == OperandForm::kKeyed) return StrCat(" ", CodeText(spec, value(0)), "=", value(1));
  bool absent = true;
  std::string text;
  for (size_t i = 0; i < operand.fields.size(); ++i) {
    absent = absent && value(i) == spec.absent;
    if (i > 0) text += spec.form == OperandForm::kRange ? ':' : ',';
    text += spec.address ? Hex(static_cast<uint64_t>(value(i))) : std::to_string(value(i));
  }
  if (spec.present ? !(insn.*spec.present) : spec.quiet && absent) return "";
  if (spec.form == OperandForm::kFlag) return StrCat(" ", spec.name);
  return StrCat(" ", spec.name, "=", text);
}

std::string Syntax::Print(Word word) const {
  const Instruction insn = Decode(layout_, word);
  const InstructionSpec* row = FindInstruction(layout_.config(), insn.opcode);
  if (!row || !IsWritable(insn) || Encode(layout_, insn) != word)
    return StrCat(".word ", Hex(word.low, 16), " ", Hex(word.high, 16));
  std::string text(row->name);
  if (const Operand* suffix = Suffix(insn.opcode))
    text += "." + CodeText(suffix->spec, insn.*suffix->fields[0].spec->member);
  for (const Operand& operand : operands_[insn.opcode])
    if (operand.spec.form != OperandForm::kSuffix) text += PrintOperand(operand, insn);
  return text;
}

std::string Syntax::PrintUop(uint32_t word) const {
  const Uop uop = DecodeUop(layout_, word);
  if (EncodeUop(layout_, uop) != word) return StrCat(".word ", Hex(word, 8));
  std::string text;
  for (const auto& field : layout_.UopFields())
    text += StrCat(text.empty() ? "" : " ", field.spec->name, "=", uop.*field.spec->member);
  return text;
}

}  // namespace vta::isa
