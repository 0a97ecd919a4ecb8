// Memory that host and accelerator both reach: the physically contiguous buffer of the kernel's
// module u-dma-buf. The host sees it through its caches, the accelerator does not.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "driver/uio/node.h"

namespace vta::driver::uio {

class DmaBuffer {
 public:
  /// Locks the buffer "udmabuf0" and maps it.
  /// Errors: throws Error naming the node, or the file in sysfs that does not fit.
  explicit DmaBuffer(const std::string& name);

  const std::string& path() const { return node_.path(); }
  /// What the accelerator calls the first byte.
  uint64_t address() const { return address_; }
  std::span<uint8_t> memory() const {
    return {static_cast<uint8_t*>(memory_.data()), memory_.size()};
  }

  /// What the host wrote there goes from its caches into memory.
  /// Units: `offset` in memory(). Whole lines of the cache (kLineBytes) are meant: what host and
  /// accelerator both write between two calls must not share one.
  /// Errors: throws Error naming the file in sysfs.
  void SyncForDevice(uint64_t offset, uint64_t bytes) const;
  /// What the host's caches hold of it is forgotten, what the host wrote there since included.
  void SyncForHost(uint64_t offset, uint64_t bytes) const;

  /// Of the processors with which it is used: Cortex-A9 has 32, A53 64.
  static constexpr uint64_t kLineBytes = 64;

 private:
  DmaBuffer(const std::string& name, const std::string& folder);

  uint64_t address_;
  OpenFile node_;
  Mapping memory_;
  OpenFile for_cpu_, for_device_;
};

}  // namespace vta::driver::uio
