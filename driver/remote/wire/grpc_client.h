// The client of one server, or of a tracker for what it says itself, over gRPC.
#pragma once

#include "driver/remote/wire/server_link.h"

namespace vta::driver::remote {

class GrpcClient : public Client {
 public:
  /// Errors: as Connect.
  GrpcClient(const Address& address, const Credentials& credentials, const std::string& build);

  bool is_tracker() const override { return is_tracker_; }
  std::string config_json() override { return config_json_; }
  ServedCpu cpu() override { return cpu_; }
  ServerState List() override;
  std::unique_ptr<Lease> Acquire(const LeaseOptions& options) override;
  std::string Upload(std::span<const uint8_t> package) override;

 private:
  ServerLink server_;
  // As it says when it is greeted.
  std::string build_, config_json_;
  int64_t protocol_ = 0;
  ServedCpu cpu_;
  bool is_tracker_ = false;
};

}  // namespace vta::driver::remote
