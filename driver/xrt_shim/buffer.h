// A buffer of the simulated device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "driver/allocator.h"
#include "sim/board/board.h"

namespace vta::driver {

/// Two copies, the host's and the device's, both with noise at first: memory is like that.
class ShimBuffer {
 public:
  /// `memory` and `board` are borrowed. The host's copy is `user`, or where that is null its own.
  /// Errors: throws Error where there is no room.
  ShimBuffer(Allocator& memory, sim::Board& board, uint64_t bytes, void* user);
  ~ShimBuffer() { memory_.Free(address_); }
  ShimBuffer(const ShimBuffer&) = delete;
  ShimBuffer& operator=(const ShimBuffer&) = delete;

  uint64_t address() const { return address_; }
  std::span<uint8_t> device() const { return device_; }
  std::span<uint8_t> host() const { return host_; }

 private:
  Allocator& memory_;
  uint64_t address_;
  std::vector<uint8_t> own_;
  std::span<uint8_t> device_, host_;
};

}  // namespace vta::driver
