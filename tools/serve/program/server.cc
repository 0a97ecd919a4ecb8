#include "tools/serve/program/server.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "driver/boards.h"
#include "driver/remote/client.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "runtime/cpu_features.h"
#include "tools/serve/program/temperature.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"
#include "tools/shared/version.h"

namespace vta::tools {
namespace {

namespace remote = driver::remote;

constexpr int64_t kMostDays = 36500;

CLI::Validator DeviceName(const std::vector<std::string>& simulators) {
  std::vector<std::string> names{kCpuDevice};
  names.insert(names.end(), simulators.begin(), simulators.end());
  for (std::string& usage : driver::BoardUsages()) names.push_back(std::move(usage));
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        if (driver::IsBoard(text)) {
          try {
            driver::CheckBoardName(text);
          } catch (const Error& error) {
            return StrCat(text, " ", error.rule());
          }
          return std::string();
        }
        return std::ranges::find(names, text) != names.end()
                   ? std::string()
                   : StrCat(text, " must be one of ", Listed(names), DidYouMean(text, names));
      },
      "");
}

int MakeCredentials(const ServerOptions& options, const ServerProgram& program) {
  program.make_credentials(options.make_credentials, options.days);
  std::printf("%s: server/ is for %s --credentials, client/ for who uses it\n",
              Visible(options.make_credentials).c_str(), program.name.c_str());
  return 0;
}

/// What the devices are, each under the key of all or the kind that it is of. A lease's process
/// has another folder than this one.
std::vector<serve::DeviceSpec> DevicesOf(const ServerOptions& options) {
  std::vector<serve::DeviceSpec> devices;
  for (std::string name : options.devices) {
    if (driver::IsBoard(name) && driver::PathKindOf(name) != driver::BoardPath::kNone)
      name = driver::WithPath(name, std::filesystem::absolute(driver::PathOfBoard(name)));
    // What is reached by a node is another machine than this one.
    const bool is_here =
        driver::IsBoard(name) && driver::PathKindOf(name) != driver::BoardPath::kNode;
    devices.push_back(
        {name, options.key.empty() ? name.substr(0, name.find(':')) : options.key, is_here});
  }
  return devices;
}

/// A key is what an engine's name can end with.
void RequireKey(const ServerOptions& options) {
  if (options.key.empty()) return;
  try {
    remote::ParseAddress(StrCat(remote::kScheme, "localhost:1/", options.key), "--key");
  } catch (const Error& error) {
    throw UsageError("--key", "", options.key, error.rule());
  }
}

/// The tracker, and where clients reach the server, of which a tracker elsewhere must know more
/// than loopback.
void SetTracker(const ServerOptions& options, serve::ServeOptions& serve) {
  if (options.tracker.empty()) return;
  serve.tracker = HostPortOf(options.tracker, "--tracker");
  if (serve.tracker.port == 0)
    throw UsageError("--tracker", "", options.tracker, "must name a port, 1 to 65535");
  if (!options.announce.empty()) {
    const bool has_port =
        options.announce.ends_with(']') ? false : options.announce.find(':') != std::string::npos;
    try {
      serve.announce =
          HostPortOf(has_port ? options.announce : options.announce + ":0", "--announce");
    } catch (const Error& error) {
      throw UsageError("--announce", "", options.announce, error.rule());
    }
  }
  const bool is_near = serve.announce.host.empty() && serve.listen.IsLoopback();
  if (is_near && !serve.tracker.IsLoopback())
    throw UsageError(
        "--tracker", "", options.tracker,
        StrCat("is of another machine, whose clients do not reach ", serve.listen.HostPort(),
               ": --listen says where they do, or --announce"));
}

}  // namespace

int RunServer(const ServerOptions& options, const ServerProgram& program) {
  if (!options.make_credentials.empty()) return MakeCredentials(options, program);
  if (options.devices.empty()) throw UsageError("--device", "", "", "is missing: what is served");
  serve::ServeOptions serve;
  serve.devices = DevicesOf(options);
  serve.temperature = [] { return WarmestOf(); };
  RequireKey(options);
  const Listening listening = ListenOf(options.listen, program.name);
  serve.listen = listening.at;
  serve.credentials = listening.credentials;
  SetTracker(options, serve);
  std::optional<isa::Config> config;
  if (!options.config.empty()) {
    config = program.load_config(options.config);
    serve.config_json = isa::ConfigToJson(*config);
  }
  for (const std::string& file : options.packages)
    serve.packages.push_back(std::filesystem::absolute(file));
  const Temporary cache(NewTemporaryFolder("vta-serve"));
  serve.cache_folder = cache.path();
  serve.build = StrCat("vta ", Version());
  const runtime::Cpu cpu = runtime::ThisCpu();
  serve.cpu.arch = cpu.arch;
  serve.cpu.features.assign(cpu.features.begin(), cpu.features.end());
  serve.beat_s = options.beat_s;
  serve.lease_limit_s = options.lease_limit_s;
  serve.cache_bytes = options.cache_bytes;
  NativeOptions native = options.native;
  // A lease's process has the cache's folder as its own.
  if (!native.trusted.empty()) native.trusted = std::filesystem::absolute(native.trusted);
  std::vector<LeaseWorkerOptions> workers;
  for (const serve::DeviceSpec& device : serve.devices)
    workers.push_back({device.name, program.open, config, native});
  serve.make_worker = [&](size_t device) {
    return std::make_unique<LeaseWorker>(workers.at(device));
  };
  serve.log = [](const std::string& text) { Log(LogLevel::kInfo, text); };
  serve.on_ready = [&](int64_t port) {
    serve.listen.port = port;
    for (const serve::DeviceSpec& device : serve.devices)
      std::printf("serves %s as %s%s/%s\n", Visible(device.name).c_str(), remote::kScheme,
                  serve.listen.HostPort().c_str(), device.key.c_str());
    std::fflush(stdout);
  };
  program.serve(serve);
  return 0;
}

void AddServerTo(CLI::App& app, ServerOptions& options, const ServerProgram& program) {
  app.option_defaults()->group("Devices");
  CLI::Option* device =
      app.add_option("--device", options.devices,
                     "what is served, as --engine has it, or cpu: kernels alone; once for each")
          ->check(DeviceName(program.simulators))
          ->allow_extra_args(false);
  const bool names_shipped = program.config_kind == kConfig;
  app.add_option("-c,--config", options.config,
                 StrCat("accelerator variant of the devices: ",
                        names_shipped ? "a shipped name or a file" : "a file",
                        ". Where it is not given, a simulator is that of the package"))
      ->type_name(program.config_kind);
  app.add_option("--key", options.key,
                 "what clients ask for, any of the devices; else each is of its kind's name");
  AddListenTo(app, options.listen);
  CLI::Option* tracker =
      app.add_option("--tracker", options.tracker,
                     "where vta tracker listens, which sends clients here; it is shown the same "
                     "credentials")
          ->type_name("HOST:PORT");
  app.add_option("--announce", options.announce,
                 "where those clients reach the server, if not at the host that the tracker sees "
                 "and the port of --listen")
      ->type_name("HOST[:PORT]")
      ->needs(tracker);
  CLI::Option* make = app.add_option("--make-credentials", options.make_credentials,
                                     "write there what both sides need, server/ and client/, and "
                                     "end")
                          ->type_name(kFolder);
  app.add_option("--days", options.days, "that those certificates are good for")
      ->check(IntegerFrom(0, kMostDays))
      ->needs(make)
      ->capture_default_str();
  app.option_defaults()->group("Leases");
  app.add_option("--beat", options.beat_s,
                 "seconds after its last sign of life in which a client loses its device")
      ->check(NumberFrom(0.05, 3600, "must be 0.05 to 3600 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--lease-limit", options.lease_limit_s, "seconds that one may have a device")
      ->check(NumberFrom(0.1, 1e9, "must be 0.1 to 1e9 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--cache", options.cache_bytes,
                 "most that packages of clients take of the disk: bytes, or with K, M or G")
      ->transform(Bytes())
      ->type_name("BYTES")
      ->default_str("1G");
  app.add_option("--package", options.packages,
                 "one that is there before a client sends it; once for each")
      ->type_name(kFile)
      ->allow_extra_args(false);
  options.native.AddTo(app)->type_name(kFile);
  app.remove_option(app.get_option("--sandbox"));
  app.remove_option(app.get_option("--expect-hash"));
  options.native.pins.pop_back();
  options.native.sandbox = true;
  make->excludes(device);
}

}  // namespace vta::tools
