#include "runtime/aligned_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "isa/support/error.h"

namespace vta::runtime {

int64_t PageBytes() {
  static const int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

AlignedMemory::AlignedMemory(int64_t bytes, const std::string& where, int64_t alignment,
                             Sharing sharing) {
  VTA_CHECK(bytes >= 0 && alignment > 0 && std::has_single_bit(static_cast<uint64_t>(alignment)),
            bytes, " bytes at ", alignment);
  if (bytes == 0) return;
  // The system aligns to pages; what is more is found inside a larger mapping.
  const int64_t slack = std::max(alignment, PageBytes()) - PageBytes();
  int64_t mapping_bytes = 0;
  void* mapping = MAP_FAILED;
  if (!__builtin_add_overflow(bytes, slack, &mapping_bytes) &&
      static_cast<uint64_t>(mapping_bytes) <= std::numeric_limits<size_t>::max())
    mapping = mmap(nullptr, static_cast<size_t>(mapping_bytes), PROT_READ | PROT_WRITE,
                   (sharing == Sharing::kBoth ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    throw Error(where, "memory", StrCat(bytes, " bytes"), "the system does not give as much");
  mapping_ = mapping;
  mapping_bytes_ = mapping_bytes;
  const uintptr_t mask = static_cast<uintptr_t>(alignment) - 1;
  const uintptr_t start = reinterpret_cast<uintptr_t>(mapping);
  data_ = static_cast<uint8_t*>(mapping) + (((start + mask) & ~mask) - start);
  bytes_ = bytes;
}

AlignedMemory::AlignedMemory(AlignedMemory&& other) noexcept { *this = std::move(other); }

AlignedMemory& AlignedMemory::operator=(AlignedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

AlignedMemory::~AlignedMemory() {
  if (mapping_) munmap(mapping_, static_cast<size_t>(mapping_bytes_));
}

}  // namespace vta::runtime
