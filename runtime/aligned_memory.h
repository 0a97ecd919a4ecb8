// Memory of whole pages, from the system: the arena, workspaces, the code of kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vta::runtime {

/// The bytes of one page of this machine.
int64_t PageBytes();

/// Zeroed; pages that nobody touches take no room.
class AlignedMemory {
 public:
  /// Whose writes a process sees that was forked when the memory was there.
  enum class Sharing { kOwn, kBoth };

  AlignedMemory() = default;
  /// `alignment`: a power of two; less than a page means a page.
  /// Errors: throws Error naming `where` and the size that the system does not give.
  AlignedMemory(int64_t bytes, const std::string& where, int64_t alignment = 1,
                Sharing sharing = Sharing::kOwn);
  AlignedMemory(AlignedMemory&& other) noexcept;
  AlignedMemory& operator=(AlignedMemory&& other) noexcept;
  ~AlignedMemory();

  uint8_t* data() const { return data_; }
  int64_t size() const { return bytes_; }
  std::span<uint8_t> bytes() const { return {data_, static_cast<size_t>(bytes_)}; }

 private:
  void* mapping_ = nullptr;
  int64_t mapping_bytes_ = 0;
  uint8_t* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace vta::runtime
