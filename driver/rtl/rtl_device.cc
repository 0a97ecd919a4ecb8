#include "driver/rtl/rtl_device.h"

#include <memory>

#include "sim/trace/parts.h"

namespace vta::driver {

RtlDevice::RtlDevice(const isa::Config& config, int64_t memory_bytes,
                     const sim::RtlOptions& options, const sim::ModelOptions& model)
    : SimulatedDevice({"rtl", 0, std::nullopt, config}, memory_bytes),
      machine_(config, options, model) {
  id_ = IdFromRegisters(id_.name, *this);
  id_.config = config;
  id_.is_simulated = true;
}

std::optional<uint32_t> RtlDevice::ReadRegister(isa::Register first, int64_t word) {
  return machine_.ReadRegister(first, word);
}

void RtlDevice::CheckLaunch(const isa::LaunchRequest& request) const {
  machine_.CheckLaunch(request);
}

isa::LaunchResult RtlDevice::Run(const isa::LaunchRequest& request, std::span<uint8_t> dram,
                                 std::chrono::nanoseconds limit) {
  machine_.options().time_limit = limit;
  if (request.parts.size() < 2) return machine_.Run(request, dram);
  sim::Timeline launch, *const all = machine_.options().timeline;
  const std::shared_ptr<void> restore(nullptr, [&](void*) { machine_.options().timeline = all; });
  machine_.options().timeline = &launch;
  isa::LaunchResult result = machine_.Run(request, dram);
  if (all) sim::Append(*all, launch);
  if (result.outcome == isa::Outcome::kFinished)
    result.parts = sim::TimeOfParts(launch, sim::PartEnds(launch, request.parts));
  return result;
}

}  // namespace vta::driver
