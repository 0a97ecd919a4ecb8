// A session that a server runs, kernels and all: what a caller gives and gets crosses the network,
// and nothing else.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/remote/held_device.h"
#include "runtime/any_session.h"
#include "runtime/timer.h"

namespace vta::runtime {

struct RemoteOptions {
  bool apart = false;   // as SessionOptions
  int64_t threads = 0;  // on the server
};

class RemoteSession : public AnySession {
 public:
  /// `model` may be one that runs elsewhere. Sessions that share a device take turns. Where its
  /// server is lost, and a tracker knows others, calls are repeated on another one.
  /// Errors: as Session, and throws Error naming the server where it does not answer, or ends the
  /// lease; so do all calls.
  RemoteSession(std::shared_ptr<const Model> model,
                std::shared_ptr<driver::remote::HeldDevice> held,
                const RemoteOptions& options = {});
  /// Of that lease alone.
  RemoteSession(std::shared_ptr<const Model> model, std::shared_ptr<driver::remote::Client> client,
                std::shared_ptr<driver::remote::Lease> lease, const RemoteOptions& options = {});
  ~RemoteSession() override;

  const Model& model() const override { return *model_; }
  int64_t threads() const override { return opened_.threads; }
  const driver::DeviceId* device() const override {
    return opened_.device ? &*opened_.device : nullptr;
  }
  void StopAt(Deadline deadline) override { deadline_ = deadline; }
  void SetInput(int64_t input, std::span<const uint8_t> bytes) override;
  /// As Session: memory of the caller's is copied into each call, and out of its answer.
  bool BindInput(int64_t input, std::span<const uint8_t> bytes) override;
  bool BindOutput(int64_t output, std::span<uint8_t> bytes) override;
  void Run(RunProfile* profile = nullptr) override;
  void GetOutput(int64_t output, std::span<uint8_t> bytes) const override;

  /// As MeasureInference, on the server: the network is in no time.
  Timing Time(std::span<const std::span<const uint8_t>> inputs, const TimerOptions& options);
  /// What the last run took beside the server's time for it.
  std::chrono::nanoseconds network() const { return network_; }

 private:
  void RequireSize(const char* what, const isa::PackageTensor& tensor, size_t bytes) const;

  /// Uploads the package and opens the session there, where it is not open.
  void Open();
  /// Calls it with the session open, and again where another device takes the place of one.
  template <typename Call>
  auto Repeat(const Call& call);

  std::shared_ptr<const Model> model_;
  std::shared_ptr<driver::remote::HeldDevice> held_;
  std::shared_ptr<driver::remote::Lease> lease_;
  const RemoteOptions options_;
  bool is_open_ = false;
  driver::remote::SessionReply opened_;
  std::vector<std::optional<driver::remote::Bytes>> inputs_;
  std::vector<std::span<const uint8_t>> bound_inputs_;  // empty: none
  std::vector<std::span<uint8_t>> bound_outputs_;
  std::vector<driver::remote::Bytes> outputs_;
  std::chrono::nanoseconds network_{};
  Deadline deadline_ = Deadline::max();
};

}  // namespace vta::runtime
