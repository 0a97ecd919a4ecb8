// A device that a server leases, call by call: for what looks at a device from inside. Whole
// inferences run on the server: runtime/remote_session.h.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "driver/device.h"
#include "driver/remote/held_device.h"

namespace vta::driver::remote {

/// Errors: each call throws Error naming the server where the lease has ended.
class RemoteDevice : public Device {
 public:
  /// Units: memory_bytes of a simulator, 0 for what it usually has.
  RemoteDevice(std::shared_ptr<HeldDevice> held, const isa::Config& config, int64_t memory_bytes);

  /// Another device in the place of one that was lost so, with nothing in its memory.
  /// Errors: as HeldDevice::Replace.
  void TakeAnother(const ServerLost& error);

  const DeviceId& id() const override { return id_; }
  uint64_t Allocate(int64_t bytes) override { return lease_->worker().Allocate(bytes); }
  void Free(uint64_t address) override;
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word) override {
    return lease_->worker().ReadRegister(first, word);
  }
  void Launch(const isa::LaunchRequest& request) override { launched_ = request; }
  isa::LaunchResult Wait(std::chrono::nanoseconds limit) override;

 private:
  void Open();

  std::shared_ptr<HeldDevice> held_;
  std::string config_json_;
  int64_t memory_bytes_;
  std::shared_ptr<Lease> lease_;
  DeviceId id_;
  std::optional<isa::LaunchRequest> launched_;
};

}  // namespace vta::driver::remote
