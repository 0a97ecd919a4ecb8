// A server of devices: what `vta serve` runs. It is in the library that speaks gRPC, which is
// loaded for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/remote/client.h"
#include "driver/remote/protocol.h"
#include "driver/remote/worker.h"

namespace vta::serve {

/// What one lease at a time has.
struct DeviceSpec {
  std::string name, key;
  bool is_board = false;  // of this machine: as warm as that is
};

struct ServeOptions {
  std::vector<DeviceSpec> devices;
  driver::remote::Address listen;  // port 0: one that is free
  /// The token that clients must show; the certificate and key of this side, and the authority
  /// whose certificates clients must show. Each may be empty.
  driver::remote::Credentials credentials;
  /// The tracker that is told of the server, port 0 for none; and where clients reach the server:
  /// where it has no host, at the one that the tracker sees, and port 0 is the one of `listen`.
  driver::remote::Address tracker, announce;
  std::string build;        // for people
  std::string config_json;  // as driver::remote::Client has it
  driver::remote::ServedCpu cpu;
  double beat_s = 1;  // a lease ends so long after its last beat
  double lease_limit_s = 3600;
  int64_t cache_bytes = 0;
  std::string cache_folder;           // that is there; packages are SHA256.vta in it
  std::vector<std::string> packages;  // files that are in the cache from the beginning
  /// In the process of a lease, whose folder is the cache: what serves it. It opens no device yet.
  std::function<std::unique_ptr<driver::remote::Worker>(size_t device)> make_worker;
  /// Of the machine that has the boards, in degrees Celsius, where it says; may be empty.
  std::function<std::optional<double>()> temperature;
  /// One line about what happened.
  std::function<void(const std::string&)> log;
  std::function<void(int64_t port)> on_ready;
};

/// Serves until the process ends. Before it, no thread but the caller's may run.
/// Errors: throws Error where it cannot listen, or a certificate is none.
using ServeFunction = void(const ServeOptions& options);
inline constexpr char kServeSymbol[] = "vta_remote_serve";
/// For a program that is linked with it.
extern "C" ServeFunction vta_remote_serve;

struct TrackerOptions {
  driver::remote::Address listen;  // as ServeOptions has them
  driver::remote::Credentials credentials;
  std::string build;
  double beat_s = 1;  // a server that is silent for so long is offered to nobody
  std::function<void(const std::string&)> log;
  std::function<void(int64_t port)> on_ready;
};

/// Tells clients which servers there are, until the process ends. Errors: as ServeFunction.
using TrackFunction = void(const TrackerOptions& options);
inline constexpr char kTrackSymbol[] = "vta_remote_track";
extern "C" TrackFunction vta_remote_track;

/// Writes into a folder, which it makes: `server/` and `client/`, what each side needs: a token,
/// certificates for so many days, and keys, which only this user may read.
/// Errors: throws Error where the folder holds something, or cannot be written.
using CredentialsFunction = void(const std::string& folder, int64_t days);
inline constexpr char kCredentialsSymbol[] = "vta_remote_make_credentials";
extern "C" CredentialsFunction vta_remote_make_credentials;

}  // namespace vta::serve
