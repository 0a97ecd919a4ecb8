// What the holder of a device has it do: sessions of packages, and calls on its memory. A client
// calls it across the network; the process of a lease does it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/device.h"
#include "isa/launch.h"

namespace vta::driver::remote {

using Bytes = std::vector<uint8_t>;

struct SessionRequest {
  std::string sha256;  // of the package
  std::string file;    // that errors name
  bool apart = false;
  int64_t threads = 0;
};
struct SessionReply {
  int64_t session = 0, threads = 0;
  std::optional<DeviceId> device;  // of a package with programs
};

struct RunRequest {
  int64_t session = 0;
  std::vector<Bytes> inputs;  // in the model's order
  std::chrono::nanoseconds limit = kForever;
};
/// As runtime::StepProfile and runtime::RunProfile.
struct Step {
  std::chrono::nanoseconds wall{};
  isa::Counters counters;
  bool begins = true;
  int64_t steps = 1;
};
struct RunReply {
  std::vector<Bytes> outputs;
  std::vector<Step> steps;
  std::chrono::nanoseconds wall{}, copy_in{}, copy_out{};
};

/// As runtime::TimerOptions and runtime::Timing.
struct TimeRequest {
  int64_t session = 0;
  std::vector<Bytes> inputs;
  int64_t number = 1, repeat = 1;
  std::chrono::nanoseconds min_time{};
};
struct TimeReply {
  int64_t clock = 0, mhz = 0, number = 0;
  std::vector<double> results;
};

/// Calls on memory, registers and launches are of the device that was opened last.
/// Errors: each throws Error, as what it stands for; a client's also where the lease has ended or
/// the server does not answer.
class Worker {
 public:
  virtual ~Worker() = default;

  virtual SessionReply OpenSession(const SessionRequest& request) = 0;
  virtual RunReply Run(const RunRequest& request) = 0;
  virtual TimeReply Time(const TimeRequest& request) = 0;
  virtual void CloseSession(int64_t session) = 0;

  /// Units: memory_bytes as OpenEngine has them, 0 for what the device usually has.
  virtual DeviceId OpenDevice(const std::string& config_json, int64_t memory_bytes) = 0;
  virtual uint64_t Allocate(int64_t bytes) = 0;
  virtual void Free(uint64_t address) = 0;
  virtual void CopyIn(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual void CopyOut(uint64_t address, std::span<uint8_t> bytes) = 0;
  virtual std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word) = 0;
  virtual isa::LaunchResult Launch(const isa::LaunchRequest& request,
                                   std::chrono::nanoseconds limit) = 0;

  /// What the device fails of; empty for nothing.
  virtual std::string SelfTest() = 0;
  /// Something ended as it should not, after which a device is tested before others have it.
  virtual bool HasFaulted() const = 0;
};

}  // namespace vta::driver::remote
