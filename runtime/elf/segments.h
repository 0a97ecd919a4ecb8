// The segments of an ELF file as its headers give them, at the file's own addresses: what the parts
// of the parser share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/elf/file.h"
#include "runtime/elf/records.h"

namespace vta::runtime {

struct ElfView {
  std::span<const uint8_t> bytes;
  const isa::CpuArchRow& arch;
  const std::string& where;
  bool wide = false;
  uint64_t first_address = 0;        // of the module's memory
  std::vector<Elf64_Phdr> segments;  // those that are loaded, checked
  Elf64_Phdr dynamic{};              // checked where it is used

  /// The bytes of the file from `address` to the end of the segment that holds it; none where no
  /// segment does.
  std::span<const uint8_t> From(uint64_t address) const;
};

/// Errors: as ParseElf, for header and segments.
ElfView ReadSegments(std::span<const uint8_t> bytes, const isa::CpuArchRow& arch,
                     const std::string& where);

/// The functions, by name.
/// Errors: as ParseElf, for dynamic tags and symbols.
std::vector<ElfFunction> ReadFunctions(const ElfView& view);

}  // namespace vta::runtime
