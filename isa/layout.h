// Where each field lies for one config: spec x config -> bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/spec/instructions.h"

namespace vta::isa {

template <typename Record>
struct PlacedField {
  const FieldSpec<Record>* spec;
  int low_bit;  // within the 128-bit (or 32-bit) word
  int width;
};

/// A 128-bit instruction as it lies in memory, little endian.
struct Word {
  uint64_t low = 0, high = 0;
  bool operator==(const Word&) const = default;
};

class Layout {
 public:
  explicit Layout(const Config& config);

  const Config& config() const { return config_; }
  const LogDepths& log_depths() const { return depths_; }
  /// The fields of an opcode's format in order; for an opcode that does not exist, those of FINISH.
  const std::vector<PlacedField<Instruction>>& Fields(int64_t opcode) const {
    return by_opcode_[opcode & 7];
  }
  const std::vector<PlacedField<Uop>>& UopFields() const { return uop_; }

 private:
  Config config_;
  LogDepths depths_;
  std::array<std::vector<PlacedField<Instruction>>, 8> by_opcode_;
  std::vector<PlacedField<Uop>> uop_;
};

LogDepths DepthsOf(const Arch& arch);

/// Places rows upwards from bit 0 (bit 64 where a row starts the upper word).
template <typename Record>
std::vector<PlacedField<Record>> Place(std::span<const FieldSpec<Record>> rows, const Arch& arch) {
  const LogDepths depths = DepthsOf(arch);
  std::vector<PlacedField<Record>> placed;
  int bit = 0;
  for (const FieldSpec<Record>& row : rows) {
    if (row.word == 1) bit = 64;
    const int width = row.flag && !(arch.*row.flag) ? 0 : row.width(depths);
    placed.push_back({&row, bit, width});
    bit += width;
  }
  return placed;
}

}  // namespace vta::isa
