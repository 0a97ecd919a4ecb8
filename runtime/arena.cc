#include "runtime/arena.h"

#include <algorithm>

namespace vta::runtime {

Arena::Arena(driver::Device* device, int64_t bytes) {
  if (device) memory_ = buffer_.emplace(*device, bytes).Map();
  if (memory_.empty()) memory_ = own_.emplace(bytes, "arena").bytes();
}

void Arena::CopyIn(int64_t offset, std::span<const uint8_t> bytes) {
  if (buffer_) buffer_->CopyIn(offset, bytes);
  if (own_) std::ranges::copy(bytes, host(offset));
}

void Arena::CopyOut(int64_t offset, std::span<uint8_t> bytes) const {
  if (buffer_) return buffer_->CopyOut(offset, bytes);
  std::copy_n(memory_.data() + offset, bytes.size(), bytes.data());
}

void Arena::ForHost(int64_t offset, int64_t bytes) {
  if (!buffer_) return;
  if (own_)
    buffer_->CopyOut(offset, memory_.subspan(offset, bytes));
  else
    buffer_->SyncForHost(offset, bytes);
}

void Arena::ForDevice(int64_t offset, int64_t bytes) {
  if (!buffer_) return;
  if (own_)
    buffer_->CopyIn(offset, memory_.subspan(offset, bytes));
  else
    buffer_->SyncForDevice(offset, bytes);
}

}  // namespace vta::runtime
