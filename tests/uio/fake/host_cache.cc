#include "tests/uio/fake/host_cache.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vta::test::uio {

HostCache::HostCache(std::span<uint8_t> host, std::span<uint8_t> memory)
    : host_(host), memory_(memory), clean_(memory.begin(), memory.end()) {
  std::ranges::copy(memory, host.begin());
}

bool HostCache::IsDirty(uint64_t line) const {
  return std::memcmp(host_.data() + line, clean_.data() + line, kLine) != 0;
}

void HostCache::Clean(uint64_t offset, uint64_t bytes) {
  for (uint64_t line = offset / kLine * kLine; line < offset + bytes; line += kLine) {
    if (!IsDirty(line)) continue;
    std::array<uint8_t, kLine> now;  // another thread may write to it
    std::memcpy(now.data(), host_.data() + line, kLine);
    std::memcpy(memory_.data() + line, now.data(), kLine);
    std::memcpy(clean_.data() + line, now.data(), kLine);
    if (!before_.empty()) std::memcpy(before_.data() + line, now.data(), kLine);
  }
}

void HostCache::Invalidate(uint64_t offset, uint64_t bytes) {
  const uint64_t end = offset + bytes;
  for (uint64_t line = offset / kLine * kLine; line < end; line += kLine) {
    if (line < offset || line + kLine > end) Clean(line, 1);
    std::memcpy(host_.data() + line, memory_.data() + line, kLine);
    std::memcpy(clean_.data() + line, memory_.data() + line, kLine);
  }
}

void HostCache::Spoil(uint64_t line) {
  for (uint64_t i = 0; i < kLine; ++i) {
    noise_ = noise_ * 6364136223846793005 + 1442695040888963407;
    host_[line + i] = clean_[line + i] = static_cast<uint8_t>(noise_ >> 56);
  }
}

void HostCache::EndLaunch() {
  if (before_.empty()) return;
  for (uint64_t line = 0; line < memory_.size(); line += kLine) {
    if (std::memcmp(memory_.data() + line, before_.data() + line, kLine) == 0) continue;
    if (IsDirty(line))
      Clean(line, 1);
    else
      Spoil(line);
  }
  before_.clear();
}

}  // namespace vta::test::uio
