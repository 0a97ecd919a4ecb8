// The text of single instructions and micro-ops for one layout, both ways.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/layout.h"
#include "isa/spec/syntax.h"

namespace vta::isa {

class Syntax {
 public:
  /// The byte address of a label, or nothing.
  using LabelLookup = std::function<std::optional<uint64_t>(std::string_view name)>;

  explicit Syntax(const Layout& layout);

  std::string Print(Word word) const;
  std::string PrintUop(uint32_t word) const;

  /// Errors: throws Error with `where`, token, value and rule.
  Word Parse(const std::vector<std::string_view>& words, const std::string& where,
             const LabelLookup& labels) const;
  uint32_t ParseUop(const std::vector<std::string_view>& words, const std::string& where) const;

 private:
  /// An operand of one format: its row and where its fields lie.
  struct Operand {
    OperandSpec spec;
    std::vector<PlacedField<Instruction>> fields;
  };

  std::vector<Operand> OperandsOf(int64_t opcode) const;
  const Operand* Suffix(int64_t opcode) const;
  bool IsWritable(const Instruction& insn) const;
  std::string PrintOperand(const Operand& operand, const Instruction& insn) const;
  const InstructionSpec& ParseMnemonic(std::string_view word, const std::string& where,
                                       Instruction& insn) const;
  size_t FindOperand(int64_t opcode, std::string_view key, std::string_view value,
                     const std::string& where) const;
  void ParseOperand(const Operand& operand, std::string_view key,
                    std::optional<std::string_view> value, const std::string& where,
                    const LabelLookup& labels, Instruction& insn) const;
  int64_t ParseAddress(const PlacedField<Instruction>& field, std::string_view text,
                       const Instruction& insn, const std::string& where, std::string_view token,
                       const LabelLookup& labels) const;

  Layout layout_;
  std::array<std::vector<Operand>, 8> operands_;  // by opcode
};

}  // namespace vta::isa
