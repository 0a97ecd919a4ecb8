// The RTL beside the golden model: each launch runs on both, and every instruction's writes are
// compared.
#pragma once

#include "driver/rtl/rtl_device.h"
#include "sim/functional/machine.h"

namespace vta::driver {

class LockstepDevice : public RtlDevice {
 public:
  /// Errors: as sim::BuildModel.
  explicit LockstepDevice(const isa::Config& config, int64_t memory_bytes = kSimulatedMemoryBytes,
                          const sim::RtlOptions& options = {}, const sim::ModelOptions& model = {});

  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  /// Errors: throws Error where what the launches left differs; each side stops somewhere else, so
  /// after a launch that was stopped it says nothing.
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  /// What is written has to reach both.
  std::span<uint8_t> Map(uint64_t, int64_t) override { return {}; }

 protected:
  /// Errors: throws Error that names the first difference: the instruction as text with its module,
  /// index and address, the row, both values. The device is of no use after that.
  isa::LaunchResult Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                        std::chrono::nanoseconds limit) override;

 private:
  sim::Machine golden_;
  sim::AlignedArray<uint8_t> golden_dram_;
  bool stopped_ = false;  // some launch
};

}  // namespace vta::driver
