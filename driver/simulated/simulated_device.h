// What all simulated devices share: a DRAM of pages that cost nothing until they are touched, and a
// launch that runs inside Wait.
#pragma once

#include <optional>

#include "driver/allocator.h"
#include "driver/device.h"
#include "isa/package.h"
#include "sim/functional/scratchpads.h"

namespace vta::driver {

/// Size of a simulated device's DRAM unless something else is asked for.
inline constexpr int64_t kSimulatedMemoryBytes = int64_t{1} << 30;

/// The memory_bytes with which one allocation of `bytes` fits, and nothing after it.
int64_t MemoryFor(int64_t bytes);
/// The memory_bytes with which so many sessions of the package fit, and nothing after them.
int64_t MemoryFor(const isa::Package& package, int64_t sessions = 1);

class SimulatedDevice : public Device {
 public:
  const DeviceId& id() const override { return id_; }
  uint64_t Allocate(int64_t bytes) override { return allocator_.Allocate(bytes); }
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  std::span<uint8_t> Map(uint64_t address, int64_t bytes) override;
  std::optional<uint32_t> ReadRegister(isa::Register, int64_t = 0) override { return {}; }
  /// Errors: throws Error where the device cannot take an address of the request.
  void Launch(const isa::LaunchRequest& request) override;
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

 protected:
  /// Units: memory_bytes is rounded up to whole pages.
  SimulatedDevice(DeviceId id, int64_t memory_bytes);

  /// Errors: throws Error where the device cannot take an address of the request.
  virtual void CheckLaunch(const isa::LaunchRequest&) const {}
  virtual isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                std::chrono::nanoseconds limit) = 0;

  int64_t memory_bytes() const { return dram_.size(); }

  DeviceId id_;

 private:
  sim::AlignedArray<uint8_t> dram_;
  Allocator allocator_;
  std::optional<isa::LaunchRequest> launched_;
};

}  // namespace vta::driver
