// The parsing half of Syntax.
#include <limits>

#include "isa/asm/syntax.h"
#include "isa/asm/text.h"
#include "isa/codec.h"
#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::isa {
namespace {

// "a, b, c" from what `add` hands over.
class NameList {
 public:
  void Add(std::string_view name) { text_ += StrCat(text_.empty() ? "" : ", ", name); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

int64_t HighestCode(const PlacedField<Instruction>& field) { return FieldHigh(false, field.width); }

// A code by its name, or by its number.
std::optional<int64_t> FindCode(const OperandSpec& spec, const PlacedField<Instruction>& field,
                                std::string_view text) {
  for (int64_t code = 0; code <= HighestCode(field); ++code)
    if (!text.empty() && spec.code_name(code) == text) return code;
  const std::optional<int64_t> number = ParseInteger(text);
  return number && *number >= 0 && *number <= HighestCode(field) ? number : std::nullopt;
}

std::string CodeNames(const OperandSpec& spec, const PlacedField<Instruction>& field) {
  NameList names;
  for (int64_t code = 0; code <= HighestCode(field); ++code)
    if (!spec.code_name(code).empty()) names.Add(spec.code_name(code));
  return names.text();
}

template <typename Record>
int64_t FieldValue(const PlacedField<Record>& field, std::string_view text,
                   const std::string& where, std::string_view token) {
  const bool is_signed = field.spec->is_signed;
  return IntegerIn(text, FieldLow(is_signed, field.width), FieldHigh(is_signed, field.width), where,
                   token, StrCat(" (", field.width, " bits)"));
}

uint64_t RawWord(std::string_view text, uint64_t highest, const std::string& where) {
  const std::optional<uint64_t> value = ParseUnsigned(text);
  if (value && *value <= highest) return *value;
  throw Error(where, ".word", std::string(text), StrCat("must be in [0, ", Hex(highest), "]"));
}

std::pair<std::string_view, std::optional<std::string_view>> SplitKey(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == word.npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

const InstructionSpec& Syntax::ParseMnemonic(std::string_view word, const std::string& where,
                                             Instruction& insn) const {
  const std::string_view name = word.substr(0, word.find('.'));
  NameList names;
  for (const InstructionSpec& row : kInstructions) {
    if (!row.exists(layout_.config())) continue;
    names.Add(row.name);
    if (row.name != name) continue;
    insn.opcode = static_cast<int64_t>(row.code);
    const Operand* suffix = Suffix(insn.opcode);
    const std::string_view code = word.substr(std::min(word.size(), name.size() + 1));
    if (!suffix) {
      if (name != word) throw Error(where, std::string(name), std::string(code), "takes no suffix");
      return row;
    }
    const auto& field = suffix->fields[0];
    const std::optional<int64_t> value = FindCode(suffix->spec, field, code);
    if (!value)
      throw Error(where, StrCat(name, " ", suffix->spec.name), std::string(code),
                  StrCat("must be one of ", CodeNames(suffix->spec, field), ", or a number in [0, ",
                         HighestCode(field), "]"));
    insn.*field.spec->member = *value;
    return row;
  }
  throw Error(where, "instruction", std::string(name), StrCat("this config has ", names.text()));
}

size_t Syntax::FindOperand(int64_t opcode, std::string_view key, std::string_view value,
                           const std::string& where) const {
  const std::vector<Operand>& operands = operands_[opcode];
  NameList names;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandSpec& spec = operands[i].spec;
    if (spec.form == OperandForm::kSuffix) continue;
    if (spec.form == OperandForm::kKeyed) {
      if (FindCode(spec, operands[i].fields[0], key)) return i;
      names.Add(CodeNames(spec, operands[i].fields[0]));
    } else {
      if (spec.name == key) return i;
      names.Add(spec.name);
    }
  }
  throw Error(where, std::string(key), std::string(value),
              StrCat(FindInstruction(layout_.config(), opcode)->name, " takes ", names.text()));
}

// A label stands for the element of the instruction's memory type that lies there; "label+n" for
// the nth after it.
int64_t Syntax::ParseAddress(const PlacedField<Instruction>& field, std::string_view text,
                             const Instruction& insn, const std::string& where,
                             std::string_view token, const LabelLookup& labels) const {
  const size_t plus = text.find('+');
  const std::string_view name = text.substr(0, plus);
  if (!IsIdentifier(name)) return FieldValue(field, text, where, token);
  const std::optional<uint64_t> address = labels(name);
  if (!address) throw Error(where, "label", std::string(name), "is not defined");
  int64_t bytes = 0;
  for (const MemorySpec& row : kMemories)
    if (static_cast<int64_t>(row.code) == insn.memory_type)
      bytes = row.dram_element_bytes(layout_.config());
  if (bytes == 0)
    throw Error(where, "label", std::string(name), "needs a memory type that has elements");
  if (*address % static_cast<uint64_t>(bytes) != 0)
    throw Error(where, "label", std::string(name),
                StrCat("lies at ", Hex(*address), ", not at a multiple of an element's ",
                       Counted(bytes, "byte")));
  const int64_t highest = FieldHigh(false, field.width);
  const int64_t after =
      plus == text.npos ? 0 : IntegerIn(text.substr(plus + 1), 0, highest, where, name);
  return FieldValue(field, std::to_string(static_cast<int64_t>(*address) / bytes + after), where,
                    token);
}

void Syntax::ParseOperand(const Operand& operand, std::string_view key,
                          std::optional<std::string_view> value, const std::string& where,
                          const LabelLookup& labels, Instruction& insn) const {
  const OperandSpec& spec = operand.spec;
  const auto& fields = operand.fields;
  const auto member = [&](size_t i) -> int64_t& { return insn.*fields[i].spec->member; };
  if (spec.present) insn.*spec.present = 1;
  if (spec.form == OperandForm::kFlag) {
    if (value) throw Error(where, std::string(key), std::string(*value), "takes no value");
    member(0) = 1;
    return;
  }
  if (!value) throw Error(where, std::string(key), "", StrCat("needs a value: ", key, "=..."));
  if (spec.form == OperandForm::kKeyed) {
    member(0) = *FindCode(spec, fields[0], key);
    member(1) = FieldValue(fields[1], *value, where, key);
    return;
  }
  const char separator = spec.form == OperandForm::kRange ? ':' : ',';
  const std::vector<std::string_view> parts = SplitAt(*value, separator);
  if (parts.size() != fields.size()) {
    std::string rule = StrCat("needs ", Counted(fields.size(), "value"), ": ");
    for (size_t i = 0; i < fields.size(); ++i)
      rule += StrCat(i ? std::string(1, separator) : "", fields[i].spec->name);
    throw Error(where, std::string(key), std::string(*value), rule);
  }
  for (size_t i = 0; i < fields.size(); ++i)
    member(i) = spec.address ? ParseAddress(fields[i], parts[i], insn, where, key, labels)
                             : FieldValue(fields[i], parts[i], where, key);
}

Word Syntax::Parse(const std::vector<std::string_view>& words, const std::string& where,
                   const LabelLookup& labels) const {
  constexpr uint64_t kHighest = std::numeric_limits<uint64_t>::max();
  if (words[0] == ".word") {
    if (words.size() != 3)
      throw Error(where, ".word", "", "of an instruction needs its low and its high 64 bits");
    return {RawWord(words[1], kHighest, where), RawWord(words[2], kHighest, where)};
  }
  Instruction insn;
  const InstructionSpec& row = ParseMnemonic(words[0], where, insn);
  const std::vector<Operand>& operands = operands_[insn.opcode];
  std::vector<bool> seen(operands.size());
  for (size_t i = 1; i < words.size(); ++i) {
    const auto [key, value] = SplitKey(words[i]);
    const size_t at = FindOperand(insn.opcode, key, value.value_or(""), where);
    if (seen[at])
      throw Error(where, std::string(key), std::string(value.value_or("")), "stands there twice");
    seen[at] = true;
    ParseOperand(operands[at], key, value, where, labels, insn);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandSpec& spec = operands[i].spec;
    if (seen[i] || spec.form == OperandForm::kSuffix) continue;
    if (spec.form == OperandForm::kKeyed)
      throw Error(where, std::string(row.name), "",
                  StrCat("needs a ", spec.name, ": one of ", CodeNames(spec, operands[i].fields[0]),
                         ", as NAME=value"));
    for (const auto& field : operands[i].fields) insn.*field.spec->member = spec.absent;
  }
  return Encode(layout_, insn);
}

uint32_t Syntax::ParseUop(const std::vector<std::string_view>& words,
                          const std::string& where) const {
  if (words[0] == ".word") {
    if (words.size() != 2) throw Error(where, ".word", "", "of a micro-op needs its 32 bits");
    return static_cast<uint32_t>(RawWord(words[1], std::numeric_limits<uint32_t>::max(), where));
  }
  Uop uop;
  std::vector<std::string_view> seen;
  for (std::string_view word : words) {
    const auto [key, value] = SplitKey(word);
    const PlacedField<Uop>* found = nullptr;
    NameList names;
    for (const auto& field : layout_.UopFields()) {
      names.Add(field.spec->name);
      if (field.spec->name == key) found = &field;
    }
    if (!found || !value)
      throw Error(where, std::string(key), std::string(value.value_or("")),
                  StrCat("a micro-op takes ", names.text(), ", each as name=value"));
    for (std::string_view earlier : seen)
      if (earlier == key)
        throw Error(where, std::string(key), std::string(*value), "stands there twice");
    seen.push_back(key);
    uop.*found->spec->member = FieldValue(*found, *value, where, key);
  }
  return EncodeUop(layout_, uop);
}

}  // namespace vta::isa
