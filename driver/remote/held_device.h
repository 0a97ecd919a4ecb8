// A device that sessions have together: of a server, or of one of those that a tracker knows, where
// another one takes the place of one that is lost.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "driver/remote/client.h"

namespace vta::driver::remote {

class HeldDevice {
 public:
  /// So often what was asked for once is asked for again, of one server after the other.
  static constexpr int kMostLosses = 5;

  /// `on_move` is told which server was lost, and which one is in its place.
  /// Errors: as Client::Acquire.
  HeldDevice(std::shared_ptr<Client> client, const LeaseOptions& options,
             std::function<void(const std::string&)> on_move = {});
  /// That lease, whoever else has it, and no other.
  HeldDevice(std::shared_ptr<Client> client, std::shared_ptr<Lease> lease);

  std::shared_ptr<Lease> lease() const;
  /// The lease that is in the place of `lost`, which ended so: what was in it is no more. The first
  /// one who asks waits for a device.
  /// Errors: throws that error where the server is no tracker's, and Error naming it where there
  /// is no other device in time.
  std::shared_ptr<Lease> Replace(const std::shared_ptr<Lease>& lost, const ServerLost& error);

 private:
  const std::shared_ptr<Client> client_;
  const LeaseOptions options_;
  const std::function<void(const std::string&)> on_move_;
  const bool may_move_;
  mutable std::mutex mutex_;
  std::shared_ptr<Lease> lease_;
  std::exception_ptr failure_;  // of who asked for another one
};

}  // namespace vta::driver::remote
