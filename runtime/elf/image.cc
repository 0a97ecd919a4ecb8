#include "runtime/elf/image.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "isa/support/error.h"
#include "isa/support/plural.h"

namespace vta::runtime {
namespace {

int Protection(const ElfSegment& segment) {
  return (segment.readable ? PROT_READ : 0) | (segment.writable ? PROT_READ | PROT_WRITE : 0) |
         (segment.executable ? PROT_READ | PROT_EXEC : 0);
}

// Whole pages around [begin, begin + bytes).
void Protect(uint8_t* begin, int64_t bytes, int protection, const std::string& where) {
  const int64_t before = static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin) %
                                              static_cast<uintptr_t>(PageBytes()));
  if (mprotect(begin - before, static_cast<size_t>(before + bytes), protection) != 0)
    throw Error(where, "protection of memory", Counted(bytes, "byte"), std::strerror(errno));
}

}  // namespace

ElfImage::ElfImage(const ElfFile& file, std::span<const uint8_t> bytes, const std::string& where)
    : memory_(file.memory_bytes, where, file.alignment) {
  for (const ElfSegment& segment : file.segments) {
    if (segment.alignment % PageBytes() != 0)
      throw Error(where, "alignment of a segment", StrCat(segment.alignment),
                  StrCat("must be at least this machine's page of ", PageBytes(), " bytes"));
    uint8_t* begin = At(segment.begin_bytes);
    std::memcpy(begin, bytes.data() + segment.file_offset, static_cast<size_t>(segment.file_bytes));
    if (segment.executable)
      __builtin___clear_cache(reinterpret_cast<char*>(begin),
                              reinterpret_cast<char*>(begin + segment.file_bytes));
  }
  Protect(memory_.data(), memory_.size(), PROT_NONE, where);
  for (const ElfSegment& segment : file.segments)
    Protect(At(segment.begin_bytes), segment.memory_bytes, Protection(segment), where);
}

std::span<const uint8_t> ElfImage::memory() const {
  const int64_t page = PageBytes();
  return {memory_.data(), static_cast<size_t>((memory_.size() + page - 1) / page * page)};
}

}  // namespace vta::runtime
