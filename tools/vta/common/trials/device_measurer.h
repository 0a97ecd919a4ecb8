// Costs of programs on a device that counts its cycles: a board's, or a server's.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "compiler/tune/measurer.h"
#include "driver/device.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {

/// Units: cycles, from the launch to its end.
class DeviceMeasurer : public compiler::tune::Measurer {
 public:
  static constexpr char kMeasurerName[] = "device";

  /// Errors: as OpenEngine.
  DeviceMeasurer(const EngineOptions& engine, const isa::Config& config);

  std::string Name() const override { return kMeasurerName; }
  /// Of the config that the device says it is, and of its name.
  uint64_t Hash() const override { return hash_; }
  bool is_noisy() const override { return true; }
  /// Of what its device runs: isa::ArchHash.
  uint64_t arch() const { return device_->id().arch_hash; }
  const std::string& model() const { return device_->id().name; }
  /// Where the device's server is lost, and a tracker knows others, it is measured on another one.
  /// Errors: throws Error where the program does not end, or the device counts no cycles.
  int64_t Measure(const compiler::tune::Trial& trial) const override;

 private:
  int64_t MeasureOnce(const compiler::tune::Trial& trial) const;

  std::unique_ptr<driver::Device> device_;
  std::string name_;
  uint64_t hash_ = 0;
  mutable std::mutex mutex_;  // one at a time
};

}  // namespace vta::tools
