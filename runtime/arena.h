// The memory of a package's tensors, where programs and kernels both find them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "driver/buffer.h"
#include "runtime/aligned_memory.h"

namespace vta::runtime {

/// On the device, if there is one; in memory of our own if not. Kernels work where the device maps
/// its memory, or else on copies.
class Arena {
 public:
  /// `device` is borrowed, and may be null. Errors: throws Error where the memory does not suffice.
  Arena(driver::Device* device, int64_t bytes);

  /// Its address on the device.
  uint64_t address() const { return buffer_->address(); }
  /// Where kernels find the byte at an offset.
  uint8_t* host(int64_t offset) { return memory_.data() + offset; }

  void CopyIn(int64_t offset, std::span<const uint8_t> bytes);
  void CopyOut(int64_t offset, std::span<uint8_t> bytes) const;

  /// Before kernels read bytes that the device may have written, and after they wrote some.
  void ForHost(int64_t offset, int64_t bytes);
  void ForDevice(int64_t offset, int64_t bytes);

 private:
  std::optional<driver::Buffer> buffer_;
  std::optional<AlignedMemory> own_;
  std::span<uint8_t> memory_;
};

}  // namespace vta::runtime
