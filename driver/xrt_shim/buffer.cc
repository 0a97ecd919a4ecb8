#include "driver/xrt_shim/buffer.h"

#include <algorithm>

#include "driver/device.h"

namespace vta::driver {
namespace {

constexpr uint8_t kNoise = 0xa5;

}  // namespace

ShimBuffer::ShimBuffer(Allocator& memory, sim::Board& board, uint64_t bytes, void* user)
    : memory_(memory),
      address_(memory.Allocate(static_cast<int64_t>(bytes))),
      device_(board.memory().subspan(address_ - board.memory_base(), bytes)) {
  if (!user) {
    constexpr auto kPage = static_cast<uintptr_t>(kAllocationAlignment);
    own_.assign(bytes + kPage, kNoise);
    user = own_.data() + (kPage - reinterpret_cast<uintptr_t>(own_.data()) % kPage);
  }
  host_ = {static_cast<uint8_t*>(user), bytes};
  std::ranges::fill(device_, kNoise);
}

}  // namespace vta::driver
