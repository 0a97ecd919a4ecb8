// A device that runs VTA programs: a simulator or a board, all behind this one small interface.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "isa/config.h"
#include "isa/launch.h"
#include "isa/spec/registers.h"

namespace vta::driver {

/// What a device is. A board may know no more of its config than the hashes in its registers.
struct DeviceId {
  std::string name;  // "functional"
  uint64_t arch_hash = 0;
  std::optional<uint64_t> timing_hash;  // absent where the device counts no cycles
  std::optional<isa::Config> config;
  bool is_simulated = false;        // wall time is that of the simulation, not of an accelerator
  std::optional<double> clock_mhz;  // where a board says what it runs at; else it is its config's
};

/// Memory that programs or kernels work in.
/// Units: addresses and sizes in bytes of device memory, the address space of the accelerator.
class Memory {
 public:
  virtual ~Memory() = default;

  /// Errors: throws Error where no free range is large enough.
  virtual uint64_t Allocate(int64_t bytes) = 0;
  virtual void Free(uint64_t address) = 0;

  /// Errors: throws Error where the range is not inside one allocation.
  virtual void CopyIn(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual void CopyOut(uint64_t address, std::span<uint8_t> bytes) = 0;

  /// A range of one allocation as memory of the host, until it is freed; empty where the device has
  /// none, and bytes have to be copied. What either side wrote there is certain to be seen by the
  /// other after the call that says so.
  virtual std::span<uint8_t> Map(uint64_t /*address*/, int64_t /*bytes*/) { return {}; }
  virtual void SyncForHost(uint64_t /*address*/, int64_t /*bytes*/) {}
  virtual void SyncForDevice(uint64_t /*address*/, int64_t /*bytes*/) {}
};

/// Obligations of an implementation:
/// - memory that was never written reads 0;
/// - scratchpads keep their content from launch to launch, tokens and modes do not;
/// - one launch at a time: Launch, then Wait; copies only between launches;
/// - during one another thread may call Sync..., of bytes that it does not touch; no two copies or
///   Syncs at a time.
class Device : public Memory {
 public:
  virtual const DeviceId& id() const = 0;

  /// A host register, or that `word` of those that have several; absent where the device has no
  /// registers. Between launches.
  virtual std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word = 0) = 0;

  /// Starts the accelerator.
  virtual void Launch(const isa::LaunchRequest& request) = 0;
  /// How the launch ended. After `limit` it is kStopped, and memories are as they happen to be.
  virtual isa::LaunchResult Wait(std::chrono::nanoseconds limit) = 0;
};

/// No limit for Device::Wait.
inline constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

/// Every allocation starts at a multiple of this: a page, which no AXI burst crosses.
inline constexpr int64_t kAllocationAlignment = 4096;

/// What a device's registers say of it.
/// Errors: throws Error where it has none, or they are no VTA's.
DeviceId IdFromRegisters(const std::string& name, Device& device);

/// Refuses a program that was made for another accelerator.
/// Errors: throws Error at `where` that names both sides and, where the device knows its config,
/// each parameter that differs.
void RequireSameArch(const isa::Config& program, const DeviceId& device, const std::string& where);

}  // namespace vta::driver
