// What programs that listen have on their command lines, and servers of devices and trackers alike.
#pragma once

#include <string>

#include "driver/remote/client.h"
#include "driver/remote/protocol.h"

namespace CLI {
class App;
}

namespace vta::tools {

struct ListenOptions {
  std::string listen, credentials;
};

/// Declares --listen and --credentials.
void AddListenTo(CLI::App& app, ListenOptions& options);

/// Where to listen, with what to show. `program`: what makes credentials.
struct Listening {
  driver::remote::Address at;
  driver::remote::Credentials credentials;
};
/// Errors: throws UsageError for an address that is none, or that other machines reach where
/// nothing has to be shown; as ReadCredentials.
Listening ListenOf(const ListenOptions& options, const std::string& program);

/// HOST:PORT of an option. Errors: throws UsageError for what is none.
driver::remote::Address HostPortOf(const std::string& text, const std::string& option);

}  // namespace vta::tools
