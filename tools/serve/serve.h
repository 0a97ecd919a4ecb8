// A server of devices: what `vta serve` runs. It is in the library that speaks gRPC, which is
// loaded for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/remote/client.h"
#include "driver/remote/protocol.h"
#include "driver/remote/worker.h"

namespace vta::serve {

/// What one lease at a time has.
struct DeviceSpec {
  std::string name, key;
};

struct ServeOptions {
  std::vector<DeviceSpec> devices;
  driver::remote::Address listen;  // port 0: one that is free
  /// The token that clients must show; the certificate and key of this side, and the authority
  /// whose certificates clients must show. Each may be empty.
  driver::remote::Credentials credentials;
  std::string build;        // for people
  std::string config_json;  // as driver::remote::Client has it
  double beat_s = 1;        // a lease ends so long after its last beat
  double lease_limit_s = 3600;
  int64_t cache_bytes = 0;
  std::string cache_folder;  // that is there; packages are SHA256.vta in it
  /// In the process of a lease, whose folder is the cache: what serves it.
  std::function<std::unique_ptr<driver::remote::Worker>(size_t device)> make_worker;
  /// One line about what happened.
  std::function<void(const std::string&)> log;
  std::function<void(int64_t port)> on_ready;
};

/// Serves until the process ends. Before it, no thread but the caller's may run.
/// Errors: throws Error where it cannot listen, or a certificate is none.
using ServeFunction = void(const ServeOptions& options);
inline constexpr char kServeSymbol[] = "vta_remote_serve";

/// Writes into a folder, which it makes: `server/` and `client/`, what each side needs: a token,
/// certificates for so many days, and keys, which only this user may read.
/// Errors: throws Error where the folder holds something, or cannot be written.
using CredentialsFunction = void(const std::string& folder, int64_t days);
inline constexpr char kCredentialsSymbol[] = "vta_remote_make_credentials";

}  // namespace vta::serve
