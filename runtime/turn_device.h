// A device that several threads share: launches and copies take turns.
#pragma once

#include <chrono>
#include <mutex>
#include <utility>

#include "driver/device.h"
#include "runtime/priority_mutex.h"

namespace vta::runtime {

/// What the threads share: a launch, from Launch to the end of Wait, or a copy is one turn. Sync
/// calls wait for each other and for copies alone, for kernels are to begin and end while a launch
/// runs.
struct SharedDevice {
  explicit SharedDevice(driver::Device& shared) : device(shared) {}
  driver::Device& device;  // borrowed
  PriorityMutex turns;
  std::mutex syncs;
};

/// The device as one of those threads has it. Errors: as the device's own.
class TurnDevice : public driver::Device {
 public:
  explicit TurnDevice(SharedDevice& shared) : shared_(shared) {}

  /// The order in which turns are taken: the lowest first. Other threads have other numbers.
  void UseNumber(int64_t number) { number_ = number; }
  /// How long turns were waited for since the last call.
  std::chrono::nanoseconds TakeWaited() { return std::exchange(waited_, {}); }

  const driver::DeviceId& id() const override { return shared_.device.id(); }
  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override;
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  std::span<uint8_t> Map(uint64_t address, int64_t bytes) override;
  void SyncForHost(uint64_t address, int64_t bytes) override;
  void SyncForDevice(uint64_t address, int64_t bytes) override;
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word = 0) override;
  void Launch(const isa::LaunchRequest& request) override;
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

 private:
  void TakeTurn();
  template <typename Call>
  auto InTurn(const Call& call) {
    TakeTurn();
    const Ended ended{shared_.turns};
    return call(shared_.device);
  }
  struct Ended {
    PriorityMutex& turns;
    ~Ended() { turns.Give(); }
  };

  SharedDevice& shared_;
  int64_t number_ = 0;
  std::chrono::nanoseconds waited_{};
};

}  // namespace vta::runtime
