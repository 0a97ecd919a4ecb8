// vta serve --device D [--key NAME] [--listen HOST:PORT]: gives devices to other machines.
#include "tools/serve/serve.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "driver/boards.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/serve/lease_worker.h"

namespace vta::tools {
namespace {

namespace remote = driver::remote;

constexpr int64_t kMostDays = 36500;

struct ServeCommandOptions {
  std::vector<std::string> devices;
  std::string config, key, listen = "127.0.0.1:7227", credentials, make_credentials;
  double beat_s = 1, lease_limit_s = 3600;
  int64_t cache_bytes = int64_t{1} << 30, days = 825;
  NativeOptions native;
};

CLI::Validator DeviceName() {
  return CLI::Validator(
      [](std::string& text) {
        std::vector<std::string> names = EngineNames();
        std::erase(names, remote::kRemoteUsage);
        names.insert(names.begin(), kCpuDevice);
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

template <typename Function>
Function* Symbol(const char* name) {
  return reinterpret_cast<Function*>(remote::RemoteModuleSymbol(name));
}

int MakeCredentials(const ServeCommandOptions& options) {
  Symbol<serve::CredentialsFunction>(serve::kCredentialsSymbol)(options.make_credentials,
                                                                options.days);
  std::printf("%s: server/ is for vta serve --credentials, client/ for who uses it\n",
              Visible(options.make_credentials).c_str());
  return 0;
}

/// What the devices are, each under the key of all or the kind that it is of.
std::vector<serve::DeviceSpec> DevicesOf(const ServeCommandOptions& options) {
  std::vector<serve::DeviceSpec> devices;
  for (const std::string& name : options.devices)
    devices.push_back({name, options.key.empty() ? name.substr(0, name.find(':')) : options.key});
  return devices;
}

int Serve(const ServeCommandOptions& options) {
  if (!options.make_credentials.empty()) return MakeCredentials(options);
  if (options.devices.empty()) throw UsageError("--device", "", "", "is missing: what is served");
  serve::ServeOptions serve;
  serve.devices = DevicesOf(options);
  try {
    serve.listen = remote::ParseHostPort(options.listen, "--listen");
    // A key is what an engine's name can end with.
    if (!options.key.empty())
      remote::ParseAddress(StrCat(remote::kScheme, "localhost:1/", options.key), "--key");
  } catch (const Error& error) {
    throw UsageError(error.where(), "", error.where() == "--key" ? options.key : error.value(),
                     error.rule());
  }
  serve.credentials = remote::ReadCredentials(options.credentials);
  const bool shows_who = !serve.credentials.token.empty() || !serve.credentials.ca.empty();
  if (!serve.listen.IsLoopback() && !shows_who)
    throw UsageError("--listen", "", options.listen,
                     "can be reached from other machines, for which --credentials is needed: vta "
                     "serve --make-credentials makes some");
  std::optional<isa::Config> config;
  if (!options.config.empty()) {
    config = FindConfig(options.config);
    serve.config_json = isa::ConfigToJson(*config);
  }
  const Temporary cache(NewTemporaryFolder("vta-serve"));
  serve.cache_folder = cache.path();
  serve.build = StrCat("vta ", Version());
  serve.beat_s = options.beat_s;
  serve.lease_limit_s = options.lease_limit_s;
  serve.cache_bytes = options.cache_bytes;
  std::vector<LeaseWorkerOptions> workers;
  for (const serve::DeviceSpec& device : serve.devices)
    workers.push_back({device.name, config, options.native});
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
  Symbol<serve::ServeFunction>(serve::kServeSymbol)(serve);
  return 0;
}

}  // namespace

std::function<int()> AddServeCommand(CLI::App& app) {
  auto options = std::make_shared<ServeCommandOptions>();
  app.option_defaults()->group("Devices");
  CLI::Option* device =
      app.add_option("--device", options->devices,
                     "what is served, as --engine has it, or cpu: kernels alone; once for each")
          ->check(DeviceName())
          ->allow_extra_args(false);
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant of the devices: a shipped name or a file. Where "
                             "it is not given, a simulator is that of the package"));
  app.add_option("--key", options->key,
                 "what clients ask for, any of the devices; else each is of its kind's name");
  app.option_defaults()->group("Network");
  app.add_option("--listen", options->listen,
                 "where: other machines reach what is no loopback, which needs --credentials; port "
                 "0 is one that is free")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app.add_option("--credentials", options->credentials,
                 "a folder with what clients must show and this side shows: token, or ca.pem, "
                 "certificate.pem and key.pem, or all")
      ->type_name("FOLDER");
  CLI::Option* make = WritesFolder(
      app.add_option("--make-credentials", options->make_credentials,
                     "write there what both sides need, server/ and client/, and end"));
  app.add_option("--days", options->days, "that those certificates are good for")
      ->check(IntegerFrom(0, kMostDays))
      ->needs(make)
      ->capture_default_str();
  app.option_defaults()->group("Leases");
  app.add_option("--beat", options->beat_s,
                 "seconds after its last sign of life in which a client loses its device")
      ->check(NumberFrom(0.05, 3600, "must be 0.05 to 3600 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--lease-limit", options->lease_limit_s, "seconds that one may have a device")
      ->check(NumberFrom(0.1, 1e9, "must be 0.1 to 1e9 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--cache", options->cache_bytes,
                 "most that packages of clients take of the disk: bytes, or with K, M or G")
      ->transform(Bytes())
      ->type_name("BYTES")
      ->default_str("1G");
  ReadsFile(options->native.AddTo(app));
  app.remove_option(app.get_option("--sandbox"));
  app.remove_option(app.get_option("--expect-hash"));
  options->native.pins.pop_back();
  options->native.sandbox = true;
  make->excludes(device);
  return [options] { return Serve(*options); };
}

}  // namespace vta::tools
