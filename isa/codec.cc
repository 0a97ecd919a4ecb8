#include "isa/codec.h"

#include <bit>
#include <cstring>

#include "isa/support/error.h"

namespace vta::isa {
namespace {

uint64_t Mask(int width) { return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }

int64_t Extract(uint64_t half, int low_bit, int width, bool is_signed) {
  const uint64_t bits = (half >> low_bit) & Mask(width);
  const bool negative = is_signed && width > 0 && (bits >> (width - 1)) != 0;
  return static_cast<int64_t>(negative ? bits | ~Mask(width) : bits);
}

template <typename Record>
uint64_t Checked(const PlacedField<Record>& field, const Record& record, std::string_view what) {
  const int64_t value = record.*field.spec->member;
  const int64_t low = FieldLow(field.spec->is_signed, field.width);
  const int64_t high = FieldHigh(field.spec->is_signed, field.width);
  if (field.width == 0 && value != 0)
    throw Error(std::string(what), std::string(field.spec->name), std::to_string(value),
                "this config has no such field");
  if (value < low || value > high)
    throw Error(std::string(what), std::string(field.spec->name), std::to_string(value),
                StrCat("must be in [", low, ", ", high, "] (", field.width, " bits)"));
  return static_cast<uint64_t>(value) & Mask(field.width);
}

}  // namespace

int64_t FieldLow(bool is_signed, int width) {
  return is_signed && width > 0 ? -(int64_t{1} << (width - 1)) : 0;
}
int64_t FieldHigh(bool is_signed, int width) {
  return static_cast<int64_t>(Mask(is_signed && width > 0 ? width - 1 : width));
}

Word Encode(const Layout& layout, const Instruction& instruction) {
  const InstructionSpec* row = FindInstruction(layout.config(), instruction.opcode);
  const std::string_view name = row ? row->name : "instruction";
  Word word;
  for (const auto& field : layout.Fields(instruction.opcode)) {
    if (!field.spec->member) continue;
    const uint64_t bits = Checked(field, instruction, name);
    if (field.low_bit < 64)
      word.low |= bits << field.low_bit;
    else
      word.high |= bits << (field.low_bit - 64);
  }
  return word;
}

Instruction Decode(const Layout& layout, Word word) {
  Instruction out;
  for (const auto& field : layout.Fields(static_cast<int64_t>(word.low & 7))) {
    if (!field.spec->member || field.width == 0) continue;
    const bool upper = field.low_bit >= 64;
    out.*field.spec->member =
        Extract(upper ? word.high : word.low, field.low_bit - (upper ? 64 : 0), field.width,
                field.spec->is_signed);
  }
  return out;
}

uint32_t EncodeUop(const Layout& layout, const Uop& uop) {
  uint64_t word = 0;
  for (const auto& field : layout.UopFields()) word |= Checked(field, uop, "uop") << field.low_bit;
  return static_cast<uint32_t>(word);
}

Uop DecodeUop(const Layout& layout, uint32_t word) {
  Uop out;
  for (const auto& field : layout.UopFields())
    out.*field.spec->member = Extract(word, field.low_bit, field.width, false);
  return out;
}

Fault DecodeFault(const Config& config, const Instruction& insn) {
  if (!FindInstruction(config, insn.opcode)) return Fault::kIllegalOpcode;
  const ModuleSpec& module = Spec(Route(config, insn));
  if ((!module.has_prev && (insn.pop_prev || insn.push_prev)) ||
      (!module.has_next && (insn.pop_next || insn.push_next)))
    return Fault::kIllegalDependency;
  switch (static_cast<Opcode>(insn.opcode)) {
    case Opcode::kLoad:
    case Opcode::kStore: {
      const MemorySpec* memory = FindMemory(config.arch, insn.memory_type);
      const bool load = insn.opcode == static_cast<int64_t>(Opcode::kLoad);
      if (!memory || !(load ? memory->loadable : memory->storable))
        return Fault::kIllegalMemoryType;
      const bool pads = insn.y_pad_top || insn.y_pad_bottom || insn.x_pad_left || insn.x_pad_right;
      return load && pads && !memory->may_pad ? Fault::kIllegalPadding : Fault::kNone;
    }
    case Opcode::kAlu: {
      const AluOpSpec* op = FindAluOp(config.arch, insn.alu_opcode);
      return !op || (!op->apply && insn.use_imm) ? Fault::kIllegalAluOperation : Fault::kNone;
    }
    case Opcode::kSet: {
      const ModeSpec* mode = FindMode(config.arch, insn.mode);
      return !mode || insn.value > mode->high ? Fault::kIllegalMode : Fault::kNone;
    }
    case Opcode::kGemm:
    case Opcode::kFinish:
      return Fault::kNone;
  }
  return Fault::kIllegalOpcode;
}

Word LoadWord(const uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little);
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

void StoreWord(Word word, uint8_t* bytes) { std::memcpy(bytes, &word, sizeof word); }

std::vector<Word> WordsOf(std::span<const uint8_t> bytes) {
  std::vector<Word> words(bytes.size() / kInstructionBytes);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = LoadWord(bytes.data() + i * kInstructionBytes);
  return words;
}

}  // namespace vta::isa
