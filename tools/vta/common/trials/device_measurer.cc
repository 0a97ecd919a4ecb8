#include "tools/vta/common/trials/device_measurer.h"

#include <variant>

#include "driver/buffer.h"
#include "driver/remote/remote_device.h"
#include "isa/spec/instructions.h"
#include "isa/support/error.h"
#include "isa/support/hash.h"

namespace vta::tools {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr std::chrono::seconds kTrialLimit{10};

uint64_t HashOf(const driver::DeviceId& id) {
  return Hasher()
      .Text(id.name)
      .Number(id.arch_hash)
      .Number(id.timing_hash.value_or(0))
      .Number(static_cast<uint64_t>(1e3 * id.clock_mhz.value_or(0)))
      .value();
}

}  // namespace

DeviceMeasurer::DeviceMeasurer(const EngineOptions& engine, const isa::Config& config)
    : device_(OpenEngine(engine, config)), name_(engine.name), hash_(HashOf(device_->id())) {}

int64_t DeviceMeasurer::Measure(const compiler::tune::Trial& trial) const {
  using driver::remote::HeldDevice, driver::remote::RemoteDevice;
  const std::lock_guard lock(mutex_);
  for (int losses = 0;; ++losses) {
    try {
      return MeasureOnce(trial);
    } catch (const driver::remote::ServerLost& error) {
      auto* const remote = dynamic_cast<RemoteDevice*>(device_.get());
      if (!remote || losses == HeldDevice::kMostLosses) throw;
      remote->TakeAnother(error);
      if (HashOf(remote->id()) != hash_)
        throw Error(name_, "device", remote->id().name,
                    "is not as the one that was lost: devices of a key must be alike");
    }
  }
}

int64_t DeviceMeasurer::MeasureOnce(const compiler::tune::Trial& trial) const {
  const auto& program = std::get<compiler::ProgramCode>(trial.code);
  const int64_t begin = (trial.arena_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  // Fetch reads whole beats, past the last instruction.
  driver::Buffer memory(*device_, begin + std::ssize(program.code) + kPageBytes);
  memory.CopyIn(trial.constants_at, program.constants);
  memory.CopyIn(begin, program.code);
  isa::LaunchRequest request;
  request.instruction_address = memory.address() + static_cast<uint64_t>(begin);
  request.instruction_count = std::ssize(program.code) / isa::kInstructionBytes;
  request.base.fill(memory.address());
  device_->Launch(request);
  const isa::LaunchResult result = device_->Wait(kTrialLimit);
  if (result.outcome != isa::Outcome::kFinished)
    throw Error(name_, "outcome", std::string(isa::OutcomeName(result.outcome)),
                "must be finished");
  if (!result.counters.time) throw Error(name_, "cycles", "", "are not counted by that device");
  return result.counters.time->cycles;
}

}  // namespace vta::tools
