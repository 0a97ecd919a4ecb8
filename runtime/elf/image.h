// The segments of a checked ELF file in memory: code that may be run, and never written meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/aligned_memory.h"
#include "runtime/elf/file.h"

namespace vta::runtime {

class ElfImage {
 public:
  /// One mapping, private to this process: each segment's bytes, then its protection. What lies
  /// between segments can not be touched. `bytes` is what `file` was parsed from.
  /// Errors: throws Error naming `where`, and the alignment that is less than this machine's page,
  /// or what the system refuses.
  ElfImage(const ElfFile& file, std::span<const uint8_t> bytes, const std::string& where);

  /// What the module has `begin_bytes` behind its start.
  uint8_t* At(int64_t begin_bytes) const { return memory_.data() + begin_bytes; }
  /// All of its pages: a CPU may run on behind the last byte of code.
  std::span<const uint8_t> memory() const;

 private:
  AlignedMemory memory_;
};

}  // namespace vta::runtime
