#include "runtime/arena.h"

#include <algorithm>

namespace vta::runtime {

Arena::Arena(driver::Memory* device, int64_t bytes, bool map) {
  if (device) buffer_.emplace(*device, bytes);
  if (device && map) host_ = buffer_->Map();
  is_mapped_ = !host_.empty();
}

void Arena::CopyIn(int64_t offset, std::span<const uint8_t> bytes) {
  if (buffer_) buffer_->CopyIn(offset, bytes);
  if (!is_mapped_ && !host_.empty()) std::copy_n(bytes.data(), bytes.size(), host(offset));
}

void Arena::CopyOut(int64_t offset, std::span<uint8_t> bytes) const {
  if (buffer_) return buffer_->CopyOut(offset, bytes);
  std::copy_n(host_.data() + offset, bytes.size(), bytes.data());
}

void Arena::ForHost(int64_t offset, int64_t bytes) {
  if (!buffer_) return;
  if (is_mapped_)
    buffer_->SyncForHost(offset, bytes);
  else
    buffer_->CopyOut(offset, host_.subspan(offset, bytes));
}

void Arena::ForDevice(int64_t offset, int64_t bytes) {
  if (!buffer_) return;
  if (is_mapped_)
    buffer_->SyncForDevice(offset, bytes);
  else
    buffer_->CopyIn(offset, host_.subspan(offset, bytes));
}

}  // namespace vta::runtime
