// The functional simulator as a device. A launch runs inside Wait.
#pragma once

#include <optional>

#include "driver/allocator.h"
#include "driver/device.h"
#include "sim/functional/machine.h"

namespace vta::driver {

struct FunctionalOptions {
  /// Size of its DRAM; pages that are never touched cost nothing.
  int64_t memory_bytes = int64_t{1} << 30;
  sim::MachineOptions machine;
};

/// The memory_bytes with which one allocation of `bytes` fits, and nothing after it.
int64_t FunctionalMemoryFor(int64_t bytes);

class FunctionalDevice : public Device {
 public:
  explicit FunctionalDevice(const isa::Config& config, const FunctionalOptions& options = {});

  const DeviceId& id() const override { return id_; }
  uint64_t Allocate(int64_t bytes) override { return allocator_.Allocate(bytes); }
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  void Launch(const isa::LaunchRequest& request) override;
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

  sim::Machine& machine() { return machine_; }

 private:
  DeviceId id_;
  sim::Machine machine_;
  sim::AlignedArray<uint8_t> dram_;
  Allocator allocator_;
  std::optional<isa::LaunchRequest> launched_;
};

}  // namespace vta::driver
