// A session of a model on whatever device has a name: of this machine, or of a server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/any_session.h"
#include "runtime/session.h"

namespace vta::runtime {

/// What is asked of a server.
struct ServerAccess {
  std::string credentials;  // a folder; "" for none
  double wait_s = 60;       // for a free device
  std::string build;        // what asks, for people
  /// Is told which server of a tracker was lost, and which one is in its place. May be empty.
  std::function<void(const std::string&)> on_move;
};

/// Whether `engine` is a name that OpenSession takes. Opens nothing.
/// Errors: throws Error where it names no engine, or one not as its usage has it.
void CheckSessionEngine(const std::string& engine);

/// The session has its device, or its lease of one, as long as it lives. `engine`: one of this
/// machine as OpenEngine has them, remote://HOST:PORT[/KEY], or "" for a package without programs.
/// On a server kernels are guests, however they are to run here.
/// Errors: as OpenEngine and Session, or as driver::remote::Connect and RemoteSession.
std::unique_ptr<AnySession> OpenSession(std::shared_ptr<const Model> model,
                                        const std::string& engine, const SessionOptions& options,
                                        const ServerAccess& access = {});

}  // namespace vta::runtime
