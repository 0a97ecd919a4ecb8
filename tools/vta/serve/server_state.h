// What a server has, who has it and who waits.
#pragma once

#include <memory>
#include <string>

#include "driver/remote/client.h"
#include "isa/support/json.h"

namespace vta::tools {

/// A server that is asked.
struct AskedServer {
  std::string address;  // HOST:PORT
  std::unique_ptr<driver::remote::Client> client;
};
/// `address` is HOST:PORT, `credentials` a folder or "". Errors: throws UsageError where the
/// address is none; and as driver::remote::Connect.
AskedServer AskServer(const std::string& address, const std::string& credentials);

/// A table for people.
std::string StateText(const std::string& address, const driver::remote::ServerState& state);
/// Every key of it stands in docs/schemas/vta-devices.json.
Json StateJson(const driver::remote::ServerState& state);

}  // namespace vta::tools
