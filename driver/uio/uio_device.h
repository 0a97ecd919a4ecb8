// An accelerator in the programmable logic beside the processor, without a driver of its own in the
// kernel: registers and interrupt by UIO, memory by u-dma-buf.
#pragma once

#include <memory>
#include <string>

#include "driver/allocator.h"
#include "driver/registers/register_device.h"
#include "driver/uio/dma_buffer.h"
#include "driver/uio/uio_port.h"

namespace vta::driver::uio {

inline constexpr char kDefaultUio[] = "vta";
inline constexpr char kDefaultBuffer[] = "udmabuf0";

/// Both nodes are this process's alone until it is destroyed.
class UioDevice : public RegisterDevice {
 public:
  /// `uio`: as FindUio; `buffer`: as DmaBuffer.
  /// Errors: as those two, UioPort and RegisterDevice.
  UioDevice(const std::string& uio, const std::string& buffer, const isa::Config& config);
  ~UioDevice() override { Detach(); }

  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  /// Ranges that are synchronised apart must not share a line of the cache.
  std::span<uint8_t> Map(uint64_t address, int64_t bytes) override;
  void SyncForHost(uint64_t address, int64_t bytes) override;
  void SyncForDevice(uint64_t address, int64_t bytes) override;

 protected:
  void WaitForInterrupt(std::chrono::nanoseconds limit) override;

 private:
  UioDevice(const UioFolder& folder, const std::string& buffer, const isa::Config& config);
  uint64_t OffsetOf(uint64_t address, uint64_t bytes) const;

  UioPort port_;
  DmaBuffer buffer_;
  Allocator allocator_;
  int lost_ = 0;  // interrupts, one after the other
};

/// "NAME[@BUFFER]" behind "uio:", or nothing. Errors: as UioDevice.
std::unique_ptr<Device> OpenUio(const std::string& where, const isa::Config& config);

}  // namespace vta::driver::uio
