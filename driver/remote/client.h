// A server of devices, from a client's side. What speaks gRPC is a library that is loaded with the
// first server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/remote/protocol.h"
#include "driver/remote/worker.h"
#include "isa/support/error.h"

namespace vta::driver::remote {

/// What a client shows a server. Each may be empty.
struct Credentials {
  std::string token;
  std::string ca, certificate, key;  // PEM; TLS where `ca` is given
};

/// Of a folder that has some of token, ca.pem, certificate.pem and key.pem; none where `folder` is
/// empty. Errors: throws Error naming the folder where it has none of them, or half of a pair.
Credentials ReadCredentials(const std::string& folder);

/// The server is away, or the lease is no more, through no fault of what was asked: another device
/// would do.
class ServerLost : public Error {
 public:
  explicit ServerLost(const Error& error) : Error(error) {}
};

struct ServedDevice {
  std::string server;  // HOST:PORT, where a tracker says it
  std::string name, key, state, reason, holder;
  int64_t fence = 0, waiting = 0, leases = 0;
  double held_s = 0;
  std::optional<double> self_test_s, revoked_after_s, temperature_c;
};
struct ServerState {
  std::string build;
  int64_t protocol = 0;
  double beat_s = 0;
  std::vector<ServedDevice> devices;
  int64_t cache_bytes = 0, cache_limit_bytes = 0, cache_packages = 0;
  bool is_tracker = false;  // devices and caches are those of so many servers
  int64_t servers = 1;
};

/// The CPU of a server, in the names of isa/spec/cpu.h; no names where the server says none.
struct ServedCpu {
  std::string arch;
  std::vector<std::string> features;
};

struct LeaseOptions {
  int64_t priority = 0;  // higher ones come first
  double wait_s = 60;    // for a free device
  std::string holder;    // for people
  /// Asked each second in which no device was given yet, or in which the server of `granted` is
  /// silent, on a thread of the lease: why to give up; empty to go on.
  std::function<std::string(bool granted)> look;
};

/// A device, exclusively, for as long as this lives: beats go to the server by themselves. Threads
/// that call at once have their calls done one after the other.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual Worker& worker() = 0;
  virtual int64_t fence() const = 0;
  /// As the server names it.
  virtual const std::string& device() const = 0;
  /// The server, as an engine is named.
  virtual std::string server() const = 0;
  /// As Client::Upload, to the server whose device it is.
  virtual std::string Upload(std::span<const uint8_t> package) = 0;
};

class Client {
 public:
  virtual ~Client() = default;

  /// It is a tracker: devices are those of servers that it knows, whichever.
  virtual bool is_tracker() const = 0;
  /// The JSON of the devices' config; empty where they take that of any package.
  /// Errors: throws Error where a tracker's servers of the key differ in it.
  virtual std::string config_json() = 0;
  /// What all of a tracker's servers of the key can do. Errors: throws Error where they have no
  /// architecture in common.
  virtual ServedCpu cpu() = 0;
  /// Errors: throws Error naming host and port where the server does not answer.
  virtual ServerState List() = 0;
  /// Waits in the queue of the address's key. It must not outlive the client.
  /// Errors: throws Error naming host, port and key where the server has no such device, or none
  /// is free in time. Of a tracker it is one of the server that has a free one, or the shortest
  /// queue.
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

/// Who holds a lease, for people: user, machine and process.
std::string ThisHolder();

/// A function of the library that speaks gRPC. Errors: throws Error where the build is without.
void* RemoteModuleSymbol(const char* name);

inline constexpr char kConnectSymbol[] = "vta_remote_connect";
using ConnectFunction = Client*(const Address&, const Credentials&, const std::string& build);

}  // namespace vta::driver::remote
