// Encoding and decoding of instructions and micro-ops, and the static legality of a decoded
// instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/layout.h"
#include "isa/spec/faults.h"

namespace vta::isa {

/// Errors: throws Error naming instruction, field, value and range where a value does not fit its
/// field.
Word Encode(const Layout& layout, const Instruction& instruction);
/// Reads the fields of the opcode's format; reserved bits are ignored.
Instruction Decode(const Layout& layout, Word word);

/// Errors: throws Error naming field, value and range where an index does not fit its field.
uint32_t EncodeUop(const Layout& layout, const Uop& uop);
Uop DecodeUop(const Layout& layout, uint32_t word);

/// The encoding fault of an instruction, or kNone: what a module finds before it pops a token.
Fault DecodeFault(const Config& config, const Instruction& instruction);

/// Little-endian bytes, 16 an instruction, 4 a micro-op.
Word LoadWord(const uint8_t* bytes);
void StoreWord(Word word, uint8_t* bytes);
std::vector<Word> WordsOf(std::span<const uint8_t> bytes);

/// The range of values that a field of this width holds.
int64_t FieldLow(bool is_signed, int width);
int64_t FieldHigh(bool is_signed, int width);

}  // namespace vta::isa
