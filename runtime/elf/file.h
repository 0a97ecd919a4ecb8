// What a kernel module in ELF says, checked: a shared object that needs nothing from anyone. No
// byte of it is mapped or run here, so that any machine can look at any module.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/cpu.h"

namespace vta::runtime {

/// The room that a module may take in memory.
inline constexpr int64_t kMaxModuleBytes = int64_t{256} << 20;

/// A part of the file that is loaded. It shares no page of its alignment with another segment.
/// Units: begin_bytes counts from the start of the memory that the module takes.
struct ElfSegment {
  int64_t begin_bytes = 0, memory_bytes = 0;
  int64_t file_offset = 0, file_bytes = 0;  // the rest of memory_bytes is zero
  int64_t alignment = 0;
  bool readable = false, writable = false, executable = false;  // never both of the last two
};

/// A function that the module defines for others, in an executable segment.
struct ElfFunction {
  std::string name;
  int64_t begin_bytes = 0;
  bool thumb = false;  // code of ARM's 16-bit instruction set: bit 0 of the pointer is set
};

struct ElfFile {
  std::vector<ElfSegment> segments;    // ascending
  int64_t memory_bytes = 0;            // to the last segment's end
  int64_t alignment = 0;               // of the memory: the largest of a segment
  std::vector<ElfFunction> functions;  // by name, each once

  const ElfFunction* Find(std::string_view name) const;
};

/// Errors: throws Error naming `where`, the header, segment, tag or symbol, its value and the rule:
/// another class, machine or type; segments that overlap, are not aligned, leave the file or are
/// writable and executable; an interpreter, thread-local storage, an executable stack; needed
/// libraries, relocations, constructors; undefined symbols; functions outside the code.
ElfFile ParseElf(std::span<const uint8_t> bytes, const isa::CpuArchRow& arch,
                 const std::string& where);

}  // namespace vta::runtime
