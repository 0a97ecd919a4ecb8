// vta devices HOST:PORT: what a server has, or those of a tracker, who has it and who waits.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tools/vta/commands.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/serve/server_state.h"

namespace vta::tools {
namespace {

struct DevicesOptions {
  std::string server, credentials;
  bool watch = false, json = false;
};

int Devices(const DevicesOptions& options) {
  const AskedServer server = AskServer(options.server, options.credentials);
  for (;;) {
    const driver::remote::ServerState state = server.client->List();
    const bool on_terminal = isatty(STDOUT_FILENO) != 0;
    if (options.watch && on_terminal) fmt::print("\x1b[H\x1b[2J");
    fmt::print("{}",
               options.json ? StateJson(state).Dump() + "\n" : StateText(server.address, state));
    std::fflush(stdout);
    if (!options.watch) return 0;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

std::function<int()> AddDevicesCommand(CLI::App& app) {
  auto options = std::make_shared<DevicesOptions>();
  app.add_option("SERVER", options->server, "where vta serve listens, or vta tracker: HOST:PORT")
      ->required();
  AddCredentialsTo(app, &options->credentials);
  app.add_flag("--watch", options->watch, "again every second, until it is interrupted");
  app.add_flag("--json", options->json, "print for machines");
  return [options] { return Devices(*options); };
}

}  // namespace vta::tools
