// A client of a tracker: its devices are those of servers that the tracker knows.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "driver/remote/tracking.h"
#include "driver/remote/wire/grpc_client.h"

namespace vta::driver::remote {

class TrackedClient : public Client {
 public:
  /// `tracker` has been greeted, with the rest.
  TrackedClient(std::unique_ptr<GrpcClient> tracker, const Address& address,
                const Credentials& credentials, const std::string& build);

  bool is_tracker() const override { return true; }
  std::string config_json() override;
  ServedCpu cpu() override;
  ServerState List() override { return tracker_->List(); }
  std::unique_ptr<Lease> Acquire(const LeaseOptions& options) override;
  /// Errors: throws Error: a package goes to the server of a lease.
  std::string Upload(std::span<const uint8_t> package) override;

 private:
  using Clock = std::chrono::steady_clock;
  /// One who waits for a device.
  struct Search;

  /// Errors: throws ServerLost where the tracker does not answer in time: then the next call makes
  /// a connection of its own.
  Found Find(const FindOptions& options, std::chrono::nanoseconds limit);
  /// Errors: throws Error that lists the tracker's keys where that is none of them.
  void RequireKey(const Found& found) const;
  /// Those that there are, once there is one. Errors: throws Error where there is none.
  std::vector<FoundServer> Servers();
  std::optional<FoundServer> Next(Search& search);
  std::unique_ptr<Lease> Take(const FoundServer& server, const std::shared_ptr<Search>& search);
  std::string Look(const FoundServer& server, bool granted, Search& search);

  const std::unique_ptr<GrpcClient> tracker_;
  const Address address_;
  const Credentials credentials_;
  const std::string build_;
  std::mutex mutex_;
  std::shared_ptr<const ServerLink> link_;
};

}  // namespace vta::driver::remote
