// Which ranges of a device's memory are in use: first fit, deterministic. It holds no bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vta::driver {

class Allocator {
 public:
  /// Hands out [begin, end) of the address space of `device`.
  Allocator(std::string device, uint64_t begin, uint64_t end)
      : device_(std::move(device)), begin_(begin), end_(end) {}

  /// The lowest free range of that many bytes, aligned to kAllocationAlignment; 0 bytes get an
  /// address of their own. Errors: throws Error naming the device, the bytes asked for and those
  /// free in the largest gap.
  uint64_t Allocate(int64_t bytes);
  /// Errors: throws Error where nothing was allocated at `address`.
  void Free(uint64_t address);
  /// Errors: throws Error where [address, address + bytes) is not inside one allocation.
  void RequireInside(uint64_t address, uint64_t bytes) const;

 private:
  std::string device_;
  uint64_t begin_, end_;
  std::map<uint64_t, uint64_t> sizes_;  // address -> bytes, rounded up
};

}  // namespace vta::driver
