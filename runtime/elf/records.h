// The records of an ELF file in memory, in the form that they have in 64-bit files.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>

#include "isa/support/error.h"

namespace vta::runtime {

inline Elf64_Ehdr Widen(const Elf32_Ehdr& from) {
  Elf64_Ehdr to{};
  std::memcpy(to.e_ident, from.e_ident, EI_NIDENT);
  to.e_type = from.e_type;
  to.e_machine = from.e_machine;
  to.e_version = from.e_version;
  to.e_phoff = from.e_phoff;
  to.e_flags = from.e_flags;
  to.e_phentsize = from.e_phentsize;
  to.e_phnum = from.e_phnum;
  return to;  // without entry point and sections, which loading does not need
}

inline Elf64_Phdr Widen(const Elf32_Phdr& from) {
  return {from.p_type,  from.p_flags,  from.p_offset, from.p_vaddr,
          from.p_paddr, from.p_filesz, from.p_memsz,  from.p_align};
}

inline Elf64_Dyn Widen(const Elf32_Dyn& from) { return {from.d_tag, {from.d_un.d_val}}; }

inline Elf64_Sym Widen(const Elf32_Sym& from) {
  return {from.st_name, from.st_info, from.st_other, from.st_shndx, from.st_value, from.st_size};
}

inline uint32_t Widen(uint32_t from) { return from; }

template <typename Record>
struct NarrowOf;
template <>
struct NarrowOf<Elf64_Ehdr> {
  using Type = Elf32_Ehdr;
};
template <>
struct NarrowOf<Elf64_Phdr> {
  using Type = Elf32_Phdr;
};
template <>
struct NarrowOf<Elf64_Dyn> {
  using Type = Elf32_Dyn;
};
template <>
struct NarrowOf<Elf64_Sym> {
  using Type = Elf32_Sym;
};
template <>
struct NarrowOf<uint32_t> {
  using Type = uint32_t;
};

/// The bytes of a record in a file of 64 bits (`wide`) or 32.
template <typename Record>
constexpr int64_t RecordBytes(bool wide) {
  return wide ? sizeof(Record) : sizeof(typename NarrowOf<Record>::Type);
}

/// How many whole records `bytes` holds.
template <typename Record>
int64_t RecordCount(std::span<const uint8_t> bytes, bool wide) {
  return static_cast<int64_t>(bytes.size()) / RecordBytes<Record>(wide);
}

/// One of the records that lie in `bytes` one after the other.
template <typename Record>
Record ReadRecord(std::span<const uint8_t> bytes, int64_t index, bool wide) {
  VTA_CHECK(index >= 0 && index < RecordCount<Record>(bytes, wide), "record ", index);
  const uint8_t* at = bytes.data() + index * RecordBytes<Record>(wide);
  if (wide) {
    Record record;
    std::memcpy(&record, at, sizeof record);
    return record;
  }
  typename NarrowOf<Record>::Type record;
  std::memcpy(&record, at, sizeof record);
  return Widen(record);
}

}  // namespace vta::runtime
