#include "driver/opencl/memory.h"

#include <algorithm>
#include <iterator>

namespace vta::driver::opencl {

uint64_t Buffers::Add(Mem mem, int64_t bytes) {
  const uint64_t address = ranges_.Allocate(bytes);
  mems_.emplace(address, mem);
  return address;
}

Mem Buffers::Remove(uint64_t address) {
  ranges_.Free(address);
  return mems_.extract(address).mapped();
}

Place Buffers::At(uint64_t address, uint64_t bytes) const {
  ranges_.RequireInside(address, bytes);
  const auto buffer = std::prev(mems_.upper_bound(address));
  return {buffer->second, address - buffer->first};
}

}  // namespace vta::driver::opencl
