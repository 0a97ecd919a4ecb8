// vta tracker [--listen HOST:PORT]: sends clients to servers of the devices that they ask for.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "driver/remote/client.h"
#include "isa/support/error.h"
#include "tools/serve/program/listen.h"
#include "tools/serve/serve.h"
#include "tools/shared/log.h"
#include "tools/shared/validators.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"

namespace vta::tools {
namespace {

namespace remote = driver::remote;

struct TrackerProgram {
  ListenOptions listen{"127.0.0.1:7229", ""};
  double beat_s = 1;
};

int Track(const TrackerProgram& program) {
  Listening listening = ListenOf(program.listen, "vta serve");
  serve::TrackerOptions options;
  options.listen = listening.at;
  options.credentials = listening.credentials;
  options.build = StrCat("vta ", Version());
  options.beat_s = program.beat_s;
  options.log = [](const std::string& text) { Log(LogLevel::kInfo, text); };
  options.on_ready = [&](int64_t port) {
    listening.at.port = port;
    std::printf("tracks servers at %s%s\n", remote::kScheme, listening.at.HostPort().c_str());
    std::fflush(stdout);
  };
  reinterpret_cast<serve::TrackFunction*>(remote::RemoteModuleSymbol(serve::kTrackSymbol))(options);
  return 0;
}

}  // namespace

std::function<int()> AddTrackerCommand(CLI::App& app) {
  auto program = std::make_shared<TrackerProgram>();
  AddListenTo(app, program->listen);
  app.option_defaults()->group("Servers");
  app.add_option("--beat", program->beat_s,
                 "seconds after its last sign of life in which a server is offered to nobody")
      ->check(NumberFrom(0.05, 3600, "must be 0.05 to 3600 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  return [program] { return Track(*program); };
}

}  // namespace vta::tools
