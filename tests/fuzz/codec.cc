// Any words under any legal config: the fields of each format lie one after the other inside their
// 64-bit half, decoding reads every bit of them and no other, and encoding what was decoded gives
// the same bits.
#include "isa/codec.h"

#include "isa/support/error.h"

namespace {

using namespace vta::isa;

constexpr size_t kHeaderBytes = 6;  // what chooses the config

/// Errors: throws Error where the buffers are too deep together.
Config ChosenConfig(const uint8_t* header) {
  Config config;
  config.version = header[4] & 1 ? Version::k100 : Version::k002;
  config.arch.uop_depth = int64_t{1} << (4 + header[0] % 10);
  config.arch.inp_depth = int64_t{1} << (2 + header[1] % 15);
  config.arch.wgt_depth = int64_t{1} << (2 + header[2] % 15);
  config.arch.acc_depth = int64_t{1} << (2 + header[3] % 10);
  config.arch.mul = header[4] >> 1 & 1;
  config.arch.acc8 = header[4] >> 2 & 1;
  config.arch.requant = header[4] >> 3 & 1;
  config.arch.pad_value = header[4] >> 4 & 1;
  config.arch.overwrite = header[4] >> 5 & 1;
  config.arch.batch = 1 << header[5] % 5;
  ValidateConfig(config, "input");
  return config;
}

/// The bits of a format that mean something.
template <typename Record>
Word Defined(const std::vector<PlacedField<Record>>& fields, int word_bits) {
  Word mask;
  int end = 0;
  for (const PlacedField<Record>& field : fields) {
    VTA_CHECK(field.width >= 0 && field.low_bit >= end, field.spec->name, " overlaps");
    end = field.low_bit + field.width;
    VTA_CHECK(end <= word_bits && (field.width == 0 || field.low_bit / 64 == (end - 1) / 64),
              field.spec->name, " leaves its word");
    if (!field.spec->member) continue;
    for (int bit = field.low_bit; bit < end; ++bit)
      (bit < 64 ? mask.low : mask.high) |= uint64_t{1} << bit % 64;
  }
  return mask;
}

void TryWord(const Layout& layout, Word word) {
  const Instruction insn = Decode(layout, word);
  const Word mask = Defined(layout.Fields(insn.opcode), 128);
  const Word encoded = Encode(layout, insn);
  VTA_CHECK((encoded == Word{word.low & mask.low, word.high & mask.high}), "opcode ", insn.opcode);
  VTA_CHECK(Decode(layout, encoded) == insn, "opcode ", insn.opcode);
  for (int bit = 3; bit < 128; ++bit) {  // past the opcode, which chooses the format
    Word flipped = word;
    (bit < 64 ? flipped.low : flipped.high) ^= uint64_t{1} << bit % 64;
    const bool defined = ((bit < 64 ? mask.low : mask.high) >> bit % 64 & 1) != 0;
    VTA_CHECK((Decode(layout, flipped) != insn) == defined, "bit ", bit);
  }
  uint8_t bytes[kInstructionBytes];
  StoreWord(word, bytes);
  VTA_CHECK(LoadWord(bytes) == word, "bytes");
  const Fault fault = DecodeFault(layout.config(), insn);
  VTA_CHECK((fault == Fault::kIllegalOpcode) == !FindInstruction(layout.config(), insn.opcode),
            "opcode ", insn.opcode);
}

void TryUop(const Layout& layout, uint32_t word) {
  const uint64_t mask = Defined(layout.UopFields(), kUopBits).low;
  VTA_CHECK(EncodeUop(layout, DecodeUop(layout, word)) == (word & mask), word);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kHeaderBytes) return 0;
  try {
    const Layout layout(ChosenConfig(data));
    for (size_t at = kHeaderBytes; at + kInstructionBytes <= size; at += kInstructionBytes) {
      const Word word = LoadWord(data + at);
      TryWord(layout, word);
      for (const uint64_t half : {word.low, word.high})
        for (const int shift : {0, 32}) TryUop(layout, static_cast<uint32_t>(half >> shift));
    }
  } catch (const vta::Error&) {
  }
  return 0;
}
