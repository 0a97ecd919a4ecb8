// What the process of a lease does with its device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "driver/remote/worker.h"
#include "runtime/session.h"
#include "tools/shared/native_options.h"

namespace vta::tools {

/// The name of a device that is none: packages of kernels for a CPU alone.
inline constexpr char kCpuDevice[] = "cpu";

/// A device by its name, for programs of a config. Units: memory_bytes of a simulator, without
/// which it has what it usually has. Errors: as driver::OpenBoard.
using OpenServed = std::function<std::unique_ptr<driver::Device>(
    const std::string& name, const isa::Config& config, std::optional<int64_t> memory_bytes)>;

struct LeaseWorkerOptions {
  std::string device;  // as --engine has it, or kCpuDevice
  OpenServed open;
  std::optional<isa::Config> config;  // of the device; else that of each package
  NativeOptions native;
};

/// Packages are SHA256.vta in the folder of the process.
class LeaseWorker : public driver::remote::Worker {
 public:
  explicit LeaseWorker(const LeaseWorkerOptions& options);

  driver::remote::SessionReply OpenSession(const driver::remote::SessionRequest& request) override;
  driver::remote::RunReply Run(const driver::remote::RunRequest& request) override;
  driver::remote::TimeReply Time(const driver::remote::TimeRequest& request) override;
  void CloseSession(int64_t session) override;
  driver::DeviceId OpenDevice(const std::string& config_json, int64_t memory_bytes) override;
  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override;
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word) override;
  isa::LaunchResult Launch(const isa::LaunchRequest& request,
                           std::chrono::nanoseconds limit) override;
  std::string SelfTest() override;
  bool HasFaulted() const override { return has_faulted_; }

 private:
  struct Session {
    std::shared_ptr<driver::Device> device;
    std::unique_ptr<runtime::Session> session;
  };
  std::shared_ptr<driver::Device> Open(const isa::Config& config,
                                       std::optional<int64_t> memory_bytes);
  runtime::Session& Find(int64_t session);
  driver::Device& device();

  const LeaseWorkerOptions& options_;
  std::shared_ptr<driver::Device> device_;  // of OpenDevice
  std::shared_ptr<driver::Device> board_;   // of all that the lease opens
  uint64_t board_arch_ = 0;
  std::map<int64_t, Session> sessions_;
  int64_t last_session_ = 0;
  bool has_faulted_ = false;
};

}  // namespace vta::tools
