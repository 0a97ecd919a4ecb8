// A small kernel module in ELF, made byte by byte, so that a test can change any of its facts.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/package.h"
#include "isa/spec/cpu.h"

namespace vta::test {

struct TestSymbol {
  std::string name;
  uint64_t value = 0, size = 0;
  unsigned char info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  uint16_t section = 1;
};

/// Each part lies at a place of its own in the file, at the same address; the code one alignment
/// further. All fields are in their 64-bit form; Bytes() writes what the class asks for.
struct TestElf {
  static constexpr uint64_t kSegmentsAt = 0x40, kSymbolsAt = 0x200, kHashAt = 0x300,
                            kStringsAt = 0x340, kDynamicAt = 0x400, kCodeAt = 0x500;
  static constexpr uint64_t kAlignment = 0x10000;          // the largest page of the architectures
  static constexpr uint64_t kCode = kAlignment + kCodeAt;  // its address

  /// A module of two kernels. store_range writes its range to tensors[0], two int64_t;
  /// first_to_workspace writes first_task there, in Thumb code on armv7.
  explicit TestElf(std::string_view arch = "x86_64");

  /// What the package says of them.
  static std::vector<isa::PackageKernel> Kernels();

  std::vector<uint8_t> Bytes() const;
  isa::PackageModule Module() const;

  /// The value of a dynamic tag, which is added where it is missing.
  uint64_t& Tag(int64_t tag);

  const isa::CpuArchRow* arch;
  bool gnu_hash = true;  // otherwise DT_HASH
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;  // read-only, executable, PT_DYNAMIC, PT_GNU_STACK
  std::vector<TestSymbol> symbols;   // without the null symbol
  std::vector<uint32_t> hash;        // the words of the table; empty: made from the symbols
  std::vector<Elf64_Dyn> dynamic;    // without DT_NULL, and the hash table's tag
  std::vector<uint8_t> code;
};

}  // namespace vta::test
