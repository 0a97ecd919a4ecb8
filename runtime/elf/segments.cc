#include "runtime/elf/segments.h"

#include <algorithm>
#include <bit>

#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

constexpr uint64_t kMinAlignment = 4096;
constexpr int kMostHeaders = 64;

std::string MachineName(int elf_machine) {
  for (const isa::CpuArchRow& row : isa::kCpuArchs)
    if (row.elf_machine == elf_machine) return StrCat(elf_machine, " (", row.name, ")");
  return StrCat(elf_machine);
}

void CheckIdentity(const ElfView& view) {
  const auto fail = [&](const char* what, const std::string& value, const std::string& rule) {
    throw Error(view.where, what, value, rule);
  };
  const uint8_t* ident = view.bytes.data();
  const size_t size = view.bytes.size();
  const size_t needed = RecordBytes<Elf64_Ehdr>(view.wide);
  if (size < EI_NIDENT || std::memcmp(ident, ELFMAG, SELFMAG) != 0)
    fail("module", "", "must be an ELF file");
  if (ident[EI_CLASS] != view.arch.elf_class)
    fail("class", StrCat(int{ident[EI_CLASS]}),
         StrCat("must be ", int{view.arch.elf_class}, ", that of ", view.arch.name));
  if (ident[EI_DATA] != ELFDATA2LSB)
    fail("data encoding", StrCat(int{ident[EI_DATA]}), "must be 1, little endian");
  if (ident[EI_VERSION] != EV_CURRENT)
    fail("ELF version", StrCat(int{ident[EI_VERSION]}), "must be 1");
  if (ident[EI_OSABI] != ELFOSABI_SYSV && ident[EI_OSABI] != ELFOSABI_GNU)
    fail("OS ABI", StrCat(int{ident[EI_OSABI]}), "must be 0 or 3, System V or GNU");
  if (size < needed)
    fail("size", Counted(size, "byte"), StrCat("must hold the header's ", Counted(needed, "byte")));
}

Elf64_Ehdr ReadHeader(const ElfView& view) {
  CheckIdentity(view);
  const auto fail = [&](const char* what, const std::string& value, const std::string& rule) {
    throw Error(view.where, what, value, rule);
  };
  const Elf64_Ehdr header = ReadRecord<Elf64_Ehdr>(view.bytes, 0, view.wide);
  if (header.e_machine != view.arch.elf_machine)
    fail("machine", MachineName(header.e_machine),
         StrCat("must be ", MachineName(view.arch.elf_machine)));
  if (header.e_type != ET_DYN) fail("type", StrCat(header.e_type), "must be 3, a shared object");
  if (header.e_version != EV_CURRENT) fail("version", StrCat(header.e_version), "must be 1");
  // Before version 5 of ARM's ABI, int64_t lay elsewhere; BE8 is code of big-endian programs.
  if (header.e_machine == EM_ARM &&
      ((header.e_flags & EF_ARM_EABIMASK) != EF_ARM_EABI_VER5 || (header.e_flags & EF_ARM_BE8)))
    fail("flags", Hex(header.e_flags, 8), "must be those of EABI version 5, little endian");
  return header;
}

void CheckFlags(const ElfView& view, const Elf64_Phdr& segment, const std::string& name) {
  const auto refuse = [&](const char* what, const char* rule) {
    throw Error(view.where, StrCat(name, ", ", what), "", rule);
  };
  if (segment.p_type == PT_INTERP) refuse("PT_INTERP", "a module has no interpreter");
  if (segment.p_type == PT_TLS) refuse("PT_TLS", "a module has no thread-local storage");
  if (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X))
    refuse("PT_GNU_STACK", "the stack must not be executable");
  if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && (segment.p_flags & PF_W))
    refuse("PT_LOAD", "must not be writable and executable at once");
}

void CheckLoaded(const ElfView& view, const Elf64_Phdr& segment, const std::string& name) {
  const auto fail = [&](const char* what, const std::string& value, const std::string& rule) {
    throw Error(view.where, StrCat(name, what), value, rule);
  };
  const uint64_t size = view.bytes.size();
  if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
    fail("", StrCat(Counted(segment.p_filesz, "byte"), " at ", segment.p_offset),
         StrCat("must lie in the file's ", Counted(size, "byte")));
  if (segment.p_filesz > segment.p_memsz)
    fail(", bytes in memory", StrCat(segment.p_memsz),
         StrCat("must be at least the file's ", segment.p_filesz));
  if (!std::has_single_bit(segment.p_align) || segment.p_align < kMinAlignment)
    fail(", alignment", StrCat(segment.p_align),
         StrCat("must be a power of two of at least ", kMinAlignment));
  if ((segment.p_vaddr - segment.p_offset) % segment.p_align != 0)
    fail(", address", Hex(segment.p_vaddr),
         StrCat("must be as far from a multiple of ", segment.p_align, " as its offset ",
                Hex(segment.p_offset)));
}

uint64_t Floor(uint64_t value, uint64_t alignment) { return value & ~(alignment - 1); }

// Segments ascend, share no page, and together keep to the limit.
void CheckLayout(ElfView& view, const std::vector<std::string>& names) {
  const uint64_t limit = kMaxModuleBytes;
  uint64_t alignment = 0, end = 0;
  for (const Elf64_Phdr& segment : view.segments) alignment = std::max(alignment, segment.p_align);
  view.first_address = Floor(view.segments[0].p_vaddr, alignment);
  for (size_t i = 0; i < view.segments.size(); ++i) {
    const Elf64_Phdr& segment = view.segments[i];
    if (i > 0 && Floor(segment.p_vaddr, segment.p_align) < end)
      throw Error(
          view.where, StrCat(names[i], ", address"), Hex(segment.p_vaddr),
          StrCat("must begin a page behind what is loaded before it, which ends at ", Hex(end)));
    // Alignment and room are bounded alike: memory is taken for both.
    const uint64_t begin = segment.p_vaddr - view.first_address;
    if (alignment > limit || begin > limit - alignment ||
        segment.p_memsz > limit - alignment - begin)
      throw Error(view.where, StrCat(names[i], ", room in memory"),
                  StrCat(Counted(segment.p_memsz, "byte"), " at ", Hex(segment.p_vaddr),
                         ", aligned to ", alignment),
                  StrCat("a module must not take more than ", Counted(limit, "byte")));
    end = segment.p_vaddr + segment.p_memsz;
    if (end < segment.p_vaddr)
      throw Error(view.where, StrCat(names[i], ", address"), Hex(segment.p_vaddr),
                  "must not lie around the end of the address space");
  }
}

}  // namespace

std::span<const uint8_t> ElfView::From(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments) {
    const uint64_t at = address - segment.p_vaddr;
    if (address >= segment.p_vaddr && at < segment.p_filesz)
      return bytes.subspan(segment.p_offset + at, segment.p_filesz - at);
  }
  return {};
}

ElfView ReadSegments(std::span<const uint8_t> bytes, const isa::CpuArchRow& arch,
                     const std::string& where) {
  ElfView view{bytes, arch, where, arch.elf_class == ELFCLASS64};
  const Elf64_Ehdr header = ReadHeader(view);
  const uint64_t entry = RecordBytes<Elf64_Phdr>(view.wide);
  if (header.e_phentsize != entry)
    throw Error(where, "size of a program header", StrCat(header.e_phentsize),
                StrCat("must be ", entry));
  if (header.e_phnum > kMostHeaders)
    throw Error(where, "program headers", StrCat(header.e_phnum),
                StrCat("must be at most ", kMostHeaders));
  if (header.e_phoff > bytes.size() || entry * header.e_phnum > bytes.size() - header.e_phoff)
    throw Error(where, "program headers", StrCat(header.e_phnum, " at ", header.e_phoff),
                StrCat("must lie in the file's ", Counted(bytes.size(), "byte")));
  std::vector<std::string> names;
  bool has_dynamic = false;
  for (int i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr segment = ReadRecord<Elf64_Phdr>(bytes.subspan(header.e_phoff), i, view.wide);
    const std::string name = StrCat("program header ", i);
    CheckFlags(view, segment, name);
    if (segment.p_type == PT_DYNAMIC) {
      if (has_dynamic) throw Error(where, StrCat(name, ", PT_DYNAMIC"), "", "must be the only one");
      has_dynamic = true;
      view.dynamic = segment;
    }
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    CheckLoaded(view, segment, name);
    view.segments.push_back(segment);
    names.push_back(name);
  }
  if (view.segments.empty()) throw Error(where, "program headers", "", "none says what to load");
  if (!has_dynamic) throw Error(where, "program headers", "", "must hold a PT_DYNAMIC");
  CheckLayout(view, names);
  return view;
}

}  // namespace vta::runtime
