// The calls of a Worker as messages: a client's side, and that of the process that does them.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "driver/remote/worker.h"

namespace vta::remote {
class Reply;
class Request;
}  // namespace vta::remote

namespace vta::driver::remote {

/// Does a request, and says what came of it; what the worker throws is a failure. `request`: a
/// Request as bytes, of a peer who may have sent anything. Returns a Reply as bytes.
std::string Answer(const std::string& request, Worker& worker);

/// A Worker whose calls are messages.
class Stub : public Worker {
 public:
  /// Takes a Request and gives its Reply, both as bytes. Errors: throws Error where there is none.
  using Exchange = std::function<std::string(const std::string& request)>;

  SessionReply OpenSession(const SessionRequest& request) override;
  RunReply Run(const RunRequest& request) override;
  TimeReply Time(const TimeRequest& request) override;
  void CloseSession(int64_t session) override;
  DeviceId OpenDevice(const std::string& config_json, int64_t memory_bytes) override;
  uint64_t Allocate(int64_t bytes) override;
  void Free(uint64_t address) override;
  void CopyIn(uint64_t address, std::span<const uint8_t> bytes) override;
  void CopyOut(uint64_t address, std::span<uint8_t> bytes) override;
  std::optional<uint32_t> ReadRegister(isa::Register first, int64_t word) override;
  isa::LaunchResult Launch(const isa::LaunchRequest& request,
                           std::chrono::nanoseconds limit) override;
  std::string SelfTest() override;
  bool HasFaulted() const override { return has_faulted_; }

  /// `where` names the peer in errors.
  Stub(Exchange exchange, std::string where);

 private:
  /// Errors: throws Error that the reply has, in `where`; or where the reply is another one.
  ::vta::remote::Reply Call(const ::vta::remote::Request& request, int want);

  Exchange exchange_;
  std::string where_;
  std::atomic<bool> has_faulted_ = false;
};

}  // namespace vta::driver::remote
