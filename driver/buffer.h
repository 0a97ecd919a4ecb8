// A piece of device memory that is freed with its owner.
#pragma once

#include <utility>

#include "driver/device.h"

namespace vta::driver {

class Buffer {
 public:
  /// `device` is borrowed.
  Buffer(Memory& device, int64_t bytes)
      : device_(&device), address_(device.Allocate(bytes)), bytes_(bytes) {}
  Buffer(Buffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)),
        address_(other.address_),
        bytes_(other.bytes_) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (device_) device_->Free(address_);
  }

  uint64_t address() const { return address_; }
  int64_t bytes() const { return bytes_; }
  void CopyIn(int64_t offset, std::span<const uint8_t> bytes) {
    device_->CopyIn(address_ + offset, bytes);
  }
  void CopyOut(int64_t offset, std::span<uint8_t> bytes) const {
    device_->CopyOut(address_ + offset, bytes);
  }
  /// All of it, or empty where the device does not map its memory.
  std::span<uint8_t> Map() { return device_->Map(address_, bytes_); }
  void SyncForHost(int64_t offset, int64_t bytes) const {
    device_->SyncForHost(address_ + offset, bytes);
  }
  void SyncForDevice(int64_t offset, int64_t bytes) const {
    device_->SyncForDevice(address_ + offset, bytes);
  }

 private:
  Memory* device_;
  uint64_t address_;
  int64_t bytes_;
};

}  // namespace vta::driver
