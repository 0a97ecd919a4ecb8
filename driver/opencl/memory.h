// Memory of a device of OpenCL: buffers, and what stands for their bytes as addresses.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "driver/allocator.h"
#include "driver/opencl/opencl_api.h"

namespace vta::driver::opencl {

/// A buffer and a byte of it.
struct Place {
  Mem mem = nullptr;
  uint64_t offset = 0;
};

/// OpenCL's buffers have no addresses that a host knows: each has a range of numbers here, in
/// which an address is its first one and an offset.
class Buffers {
 public:
  explicit Buffers(const std::string& device) : ranges_(device, kFirst, kEnd) {}

  /// Gives the buffer, of so many bytes, its range. Units: bytes.
  uint64_t Add(Mem mem, int64_t bytes);
  /// Takes the range of a buffer back, which begins at that address.
  Mem Remove(uint64_t address);
  /// Errors: throws Error where the bytes are not inside one buffer.
  Place At(uint64_t address, uint64_t bytes) const;

 private:
  static constexpr uint64_t kFirst = 1 << 16, kEnd = uint64_t{1} << 60;
  Allocator ranges_;
  std::map<uint64_t, Mem> mems_;  // by the first address
};

}  // namespace vta::driver::opencl
