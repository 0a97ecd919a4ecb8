#include "runtime/elf/file.h"

#include <algorithm>

#include "runtime/elf/segments.h"

namespace vta::runtime {

const ElfFunction* ElfFile::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      functions, name, {},
      [](const ElfFunction& function) -> std::string_view { return function.name; });
  return found != functions.end() && found->name == name ? &*found : nullptr;
}

ElfFile ParseElf(std::span<const uint8_t> bytes, const isa::CpuArchRow& arch,
                 const std::string& where) {
  const ElfView view = ReadSegments(bytes, arch, where);
  ElfFile file;
  for (const Elf64_Phdr& from : view.segments) {
    ElfSegment& segment = file.segments.emplace_back();
    segment.begin_bytes = static_cast<int64_t>(from.p_vaddr - view.first_address);
    segment.memory_bytes = static_cast<int64_t>(from.p_memsz);
    segment.file_offset = static_cast<int64_t>(from.p_offset);
    segment.file_bytes = static_cast<int64_t>(from.p_filesz);
    segment.alignment = static_cast<int64_t>(from.p_align);
    segment.readable = from.p_flags & PF_R;
    segment.writable = from.p_flags & PF_W;
    segment.executable = from.p_flags & PF_X;
    file.memory_bytes = segment.begin_bytes + segment.memory_bytes;
    file.alignment = std::max(file.alignment, segment.alignment);
  }
  file.functions = ReadFunctions(view);
  return file;
}

}  // namespace vta::runtime
