// The RTL in Verilator as a device. A launch runs inside Wait.
#pragma once

#include <optional>

#include "driver/allocator.h"
#include "driver/device.h"
#include "sim/functional/scratchpads.h"
#include "sim/rtl/machine.h"

namespace vta::driver {

class RtlDevice : public Device {
 public:
  /// Builds the model first if it has to.
  /// Units: memory_bytes is rounded up to whole pages.
  /// Errors: as sim::BuildModel.
  explicit RtlDevice(const isa::Config& config, int64_t memory_bytes = int64_t{1} << 30,
                     const sim::RtlOptions& options = {});

  const DeviceId& id() const override { return id_; }
  uint64_t Allocate(int64_t bytes) override { return allocator_.Allocate(bytes); }
  void Free(uint64_t address) override { allocator_.Free(address); }
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  /// Errors: throws Error where an address of the request breaks an alignment rule.
  void Launch(const isa::LaunchRequest& request) override;
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

  sim::RtlMachine& machine() { return machine_; }

 private:
  DeviceId id_;
  sim::RtlMachine machine_;
  sim::AlignedArray<uint8_t> dram_;
  Allocator allocator_;
  std::optional<isa::LaunchRequest> launched_;
};

}  // namespace vta::driver
