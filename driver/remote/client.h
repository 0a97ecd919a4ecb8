// A server of devices, from a client's side. What speaks gRPC is a library that is loaded with the
// first server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/remote/protocol.h"
#include "driver/remote/worker.h"

namespace vta::driver::remote {

/// What a client shows a server. Each may be empty.
struct Credentials {
  std::string token;
  std::string ca, certificate, key;  // PEM; TLS where `ca` is given
};

/// Of a folder that has some of token, ca.pem, certificate.pem and key.pem; none where `folder` is
/// empty. Errors: throws Error naming the folder where it has none of them, or half of a pair.
Credentials ReadCredentials(const std::string& folder);

struct ServedDevice {
  std::string name, key, state, reason, holder;
  int64_t fence = 0, waiting = 0, leases = 0;
  double held_s = 0;
  std::optional<double> self_test_s, revoked_after_s;
};
struct ServerState {
  std::string build;
  int64_t protocol = 0;
  double beat_s = 0;
  std::vector<ServedDevice> devices;
  int64_t cache_bytes = 0, cache_limit_bytes = 0, cache_packages = 0;
};

struct LeaseOptions {
  int64_t priority = 0;  // higher ones come first
  double wait_s = 60;    // for a free device
  std::string holder;    // for people
};

/// A device, exclusively, for as long as this lives: beats go to the server by themselves.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual Worker& worker() = 0;
  virtual int64_t fence() const = 0;
  /// As the server names it.
  virtual const std::string& device() const = 0;
};

class Client {
 public:
  virtual ~Client() = default;

  /// The JSON of the devices' config; empty where they take that of any package.
  virtual const std::string& config_json() const = 0;
  /// Errors: throws Error naming host and port where the server does not answer.
  virtual ServerState List() = 0;
  /// Waits in the queue of the address's key. It must not outlive the client.
  /// Errors: throws Error naming host, port and key where the server has no such device, or none
  /// is free in time.
  virtual std::unique_ptr<Lease> Acquire(const LeaseOptions& options) = 0;
  /// The package's SHA-256, under which sessions are opened; sends it where it is not there.
  /// Errors: throws Error where the server refuses it.
  virtual std::string Upload(std::span<const uint8_t> package) = 0;
};

/// `build` is what this side is, for people.
/// Errors: throws Error naming host and port where there is no such server, where it refuses the
/// credentials or is of another version, and where this build has no such library.
std::unique_ptr<Client> Connect(const Address& address, const Credentials& credentials,
                                const std::string& build);

/// A function of the library that speaks gRPC. Errors: throws Error where the build is without.
void* RemoteModuleSymbol(const char* name);

inline constexpr char kConnectSymbol[] = "vta_remote_connect";
using ConnectFunction = Client*(const Address&, const Credentials&, const std::string& build);

}  // namespace vta::driver::remote
