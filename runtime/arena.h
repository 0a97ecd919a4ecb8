// The memory of a package's tensors, where programs and kernels both find them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "driver/buffer.h"

namespace vta::runtime {

/// On the device, if there is one. Kernels work where the device maps its memory; otherwise in
/// memory of the host that UseHost gives, which is then the arena itself or, beside a device, a
/// copy; of a GPU's kernels there is none.
class Arena {
 public:
  /// `device` is borrowed, and may be null. `map`: where the device maps its memory.
  /// Errors: throws Error where its memory does not suffice.
  Arena(driver::Memory* device, int64_t bytes, bool map);

  bool is_on_device() const { return buffer_.has_value(); }
  bool is_mapped() const { return is_mapped_; }
  /// Borrowed: all that kernels, inputs and outputs use of the arena.
  void UseHost(std::span<uint8_t> memory) { host_ = memory; }

  /// Its address on the device.
  uint64_t address() const { return buffer_->address(); }
  /// Where kernels find the byte at an offset.
  uint8_t* host(int64_t offset) { return host_.data() + offset; }

  void CopyIn(int64_t offset, std::span<const uint8_t> bytes);
  void CopyOut(int64_t offset, std::span<uint8_t> bytes) const;
  /// For programs, which find it nowhere else.
  void CopyToDevice(int64_t offset, std::span<const uint8_t> bytes) {
    buffer_->CopyIn(offset, bytes);
  }

  /// Before kernels read bytes that the device may have written, and after they wrote some.
  void ForHost(int64_t offset, int64_t bytes);
  void ForDevice(int64_t offset, int64_t bytes);

 private:
  std::optional<driver::Buffer> buffer_;
  std::span<uint8_t> host_;
  bool is_mapped_ = false;
};

}  // namespace vta::runtime
