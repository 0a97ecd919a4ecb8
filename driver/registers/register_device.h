// What all boards share: an accelerator behind its host registers. How registers and memory are
// reached is for the folder of each kind of board.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "driver/device.h"
#include "isa/register_launch.h"

namespace vta::driver {

/// A board says nothing of itself but by its registers; the config is that of the programs to come,
/// and the registers must have its arch hash.
/// Errors: everything throws Error naming the device where a register does not answer.
class RegisterDevice : public Device {
 public:
  const DeviceId& id() const override { return id_; }
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word = 0) override {
    return port_->Read(first, word);
  }
  void Launch(const isa::LaunchRequest& request) override;
  /// A launch that is still running after `limit`, or when an error is thrown, is ended by a soft
  /// reset: memory that is given back is not written any more.
  /// Errors: throws Error where the accelerator forgets the launch, where its watchdog ended it
  /// because memory did not answer, where it is busy and does nothing, and where it does not come
  /// out of the reset.
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

 protected:
  /// `name` is the device in errors. An accelerator that something else left running is reset.
  RegisterDevice(std::string name, const isa::Config& config)
      : name_(std::move(name)), config_(config) {}
  /// Once registers can be reached. `port` is borrowed; `is_simulated` and `clock_mhz` as DeviceId
  /// has them.
  /// Errors: throws Error where they are no VTA's, or another accelerator's than the config's.
  void Attach(isa::RegisterPort& port, bool is_simulated = false,
              std::optional<double> clock_mhz = std::nullopt);

  /// To be called before memory is given back: what is still running is ended.
  void Detach() noexcept;

  /// Returns at the interrupt, or a little later; at the latest after `limit`, which is short. The
  /// registers say what happened: an interrupt that is lost costs time, one too many nothing.
  virtual void WaitForInterrupt(std::chrono::nanoseconds limit);

  const std::string& name() const { return name_; }
  const isa::Config& config() const { return config_; }

 private:
  struct Progress {
    uint32_t work = 0, work_cycles = 0;  // and the cycle in which it was first seen
    uint32_t cycles = 0;                 // at the last look
    int64_t still_looks = 0;
    std::chrono::steady_clock::time_point looked;
  };
  /// The watchdog's time, in cycles of the accelerator's clock.
  uint32_t WatchdogCycles() const;
  std::string WatchdogText() const;
  /// What the device says of itself, or else the config.
  double ClockMhz() const;
  uint32_t ReadStatus();
  void Reset();
  void EndWhatRuns();
  void TryToEnd() noexcept;
  isa::LaunchResult WaitForEnd(const isa::LaunchRequest& request, std::chrono::nanoseconds limit);
  uint32_t ReadCounter(isa::HardwareCounter counter);
  uint32_t WorkDone();
  void RequireProgress(Progress& progress, std::chrono::steady_clock::time_point now);
  isa::LaunchResult ReadResult(const isa::LaunchRequest& request);

  std::string name_;
  isa::Config config_;
  isa::RegisterPort* port_ = nullptr;
  DeviceId id_;
  std::optional<isa::LaunchRequest> launched_;
  bool may_run_ = false;  // from a launch until its end was seen
};

/// A bus that answers nothing for so long is dead.
inline constexpr std::chrono::milliseconds kWatchdog{10};

}  // namespace vta::driver
