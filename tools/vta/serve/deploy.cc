// vta deploy PACKAGE --to USER@HOST: puts a program for boards and a package on a board, starts it
// and tests it.
#include <sys/utsname.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "driver/boards.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "isa/support/shipped.h"
#include "isa/support/temporary.h"
#include "runtime/remote_session.h"
#include "tools/serve/program/lease_worker.h"
#include "tools/shared/samples.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/session.h"
#include "tools/vta/serve/board_folder.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;
namespace remote = driver::remote;

constexpr char kServer[] = "vta-serve", kRunner[] = "vta-run";
constexpr int64_t kMostSshPort = 65535;
constexpr uint64_t kSeed = 1;  // as vta run's

struct DeployOptions {
  std::string package, folder = "vta", build, config, key, credentials, tracker, announce;
  std::string listen = "127.0.0.1:7227";
  std::vector<std::string> devices;
  SshOptions ssh;
  bool runner = false, systemd = false;
};

/// A machine as `uname -m` has it, and the preset that builds for it.
struct BoardBuild {
  const char* machine;
  const char* preset;
};
constexpr BoardBuild kBuilds[] = {{"aarch64", "aarch64"}, {"armv7l", "armhf"}, {"armv8l", "armhf"}};

bool HasFile(const std::string& device) {
  return driver::IsBoard(device) && driver::PathKindOf(device) == driver::BoardPath::kFile;
}

/// The program for a machine. Errors: throws Error where there is no build for it.
std::string ProgramFor(const std::string& machine, const DeployOptions& options) {
  const char* const program = options.runner ? kRunner : kServer;
  const auto require = [&](const fs::path& path, const std::string& advice) {
    if (!fs::exists(path)) throw Error(options.ssh.to, "machine", machine, advice);
    return path.string();
  };
  if (!options.build.empty())
    return require(
        fs::path(options.build) / program,
        StrCat("is to have --build's program, and there is no ", options.build, "/", program));
  utsname own{};
  uname(&own);
  if (machine == own.machine)
    return require(fs::read_symlink("/proc/self/exe").parent_path() / program,
                   StrCat("is as this one, and there is no ", program,
                          " beside vta: it is built where libgrpc++-dev is"));
  const auto build = std::ranges::find(kBuilds, machine, &BoardBuild::machine);
  if (build == std::end(kBuilds))
    throw Error(
        options.ssh.to, "machine", Visible(machine),
        StrCat("has no build: there are those for ", own.machine,
               ", aarch64, armv7l and armv8l, as uname -m has them; --build names another"));
  // XRT's library is the board's: what loads it is a build of its own.
  const std::string preset =
      StrCat(build->preset, std::ranges::any_of(options.devices, HasFile) ? "-xrt" : "");
  const fs::path path =
      fs::path(ShippedPath("isa")).parent_path() / ("build-" + preset) / "bin" / program;
  return require(
      path, StrCat("has no build: cmake --preset ", preset, " and cmake --build --preset ", preset,
                   " make it, or --build names it"));
}

std::string NameOf(const std::string& package) { return fs::path(package).filename().string(); }

/// What starts the server, as a script.
std::string ServerScript(const BoardFolder& board, const DeployOptions& options) {
  std::string script = StrCat("#!/bin/sh\n# Written by vta deploy.\ncd ", Quoted(board.path()),
                              " && exec ./", kServer, " --listen ", Quoted(options.listen),
                              " --package ", Quoted(NameOf(options.package)));
  for (const std::string& device : options.devices) script += " --device " + Quoted(device);
  if (!options.config.empty()) script += " --config config.json";
  if (!options.key.empty()) script += " --key " + Quoted(options.key);
  if (!options.credentials.empty()) script += " --credentials credentials";
  if (!options.tracker.empty()) script += " --tracker " + Quoted(options.tracker);
  if (!options.announce.empty()) script += " --announce " + Quoted(options.announce);
  return script + "\n";
}

std::string SystemdUnit(const BoardFolder& board) {
  const std::string path = board.path();
  return StrCat(
      "[Unit]\nDescription=Devices served by "
      "vta\nAfter=network.target\n\n[Service]\nExecStart=/bin/sh \"",
      path, "/", kServer, ".sh\"\nRestart=on-failure\nStandardOutput=append:", path, "/", kServer,
      ".log\nStandardError=inherit\n\n[Install]\nWantedBy=",
      board.is_root() ? "multi-user" : "default", ".target\n");
}

// Until the server says where it listens, or its end.
std::string WaitFor(const std::string& is_alive) {
  return StrCat("i=0; until grep -q '^serves ' vta-serve.log 2>/dev/null; do i=$((i + 1)); if ! ",
                is_alive,
                " || [ $i -gt 150 ]; then cat vta-serve.log >&2; exit 1; fi; sleep 0.1; done\n"
                "cat vta-serve.log\n");
}

/// Starts it, in the place of one that runs there. What it says.
std::string StartServer(const BoardFolder& board, bool systemd) {
  if (systemd) {
    const std::string user = board.is_root() ? "" : "--user ";
    return board.Do(
        StrCat(board.is_root() ? "to=/etc/systemd/system\n" : "to=$HOME/.config/systemd/user\n",
               "mkdir -p \"$to\" && cp vta-serve.service \"$to/vta-serve.service.part\" && "
               "mv -f \"$to/vta-serve.service.part\" \"$to/vta-serve.service\" || exit 1\n"
               "systemctl ",
               user,
               "stop vta-serve 2>/dev/null; : > vta-serve.log\n"
               "systemctl ",
               user, "daemon-reload && systemctl ", user, "enable --now vta-serve >&2 || exit 1\n",
               WaitFor(StrCat("systemctl ", user, "is-active -q vta-serve"))),
        "vta-serve by systemd");
  }
  return board.Do(
      StrCat("pid=$(cat vta-serve.pid 2>/dev/null)\n"
             "case $(cat \"/proc/${pid:-none}/cmdline\" 2>/dev/null | tr '\\0' ' ') in "
             "'./vta-serve '*)\n"
             "  kill \"$pid\"; i=0\n"
             "  while kill -0 \"$pid\" 2>/dev/null && [ $i -lt 50 ]; do i=$((i + 1)); sleep 0.1; "
             "done ;;\n"
             "esac\n"
             ": > vta-serve.log\n"
             "(trap '' HUP; exec sh vta-serve.sh) > vta-serve.log 2>&1 < /dev/null &\n"
             "echo $! > vta-serve.pid\n",
             WaitFor("kill -0 $! 2>/dev/null")),
      "vta-serve");
}

/// Where it listens there, of "serves DEVICE as remote://HOST:PORT/KEY".
remote::Address ListensAt(const std::string& said, const std::string& to) {
  const size_t at = said.find(remote::kScheme);
  if (at == std::string::npos)
    throw Error(to, kServer, Visible(said), "does not say where it listens");
  return remote::ParseAddress(said.substr(at, said.find_first_of(" \n", at) - at), to);
}

/// Each device has its self-test, and the first one an inference of the package.
void TestServer(const Ssh& ssh, const remote::Address& there, const isa::Package& package,
                const DeployOptions& options) {
  const bool anywhere = there.host == "0.0.0.0" || there.host == "::";
  remote::Address here;
  here.host = "127.0.0.1";
  here.port = ssh.Forward(anywhere ? "127.0.0.1" : there.host, there.port);
  const std::string client =
      options.credentials.empty() ? "" : (fs::path(options.credentials) / "client").string();
  std::shared_ptr<remote::Client> server =
      remote::Connect(here, remote::ReadCredentials(client), StrCat("vta ", Version()));
  std::vector<std::shared_ptr<remote::Lease>> leases;  // each has another device
  for (size_t i = 0; i < options.devices.size(); ++i) {
    leases.push_back(server->Acquire({.holder = "vta deploy"}));
    const auto start = std::chrono::steady_clock::now();
    const std::string failure = leases[i]->worker().SelfTest();
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!failure.empty()) throw Error(options.ssh.to, leases[i]->device(), "", failure);
    if (leases[i]->device() != kCpuDevice)
      std::printf("self-test of %s: passed in %.3f s\n", Visible(leases[i]->device()).c_str(),
                  took);
  }
  const auto model = LoadModel(package, options.package, nullptr, {.elsewhere = true});
  runtime::RemoteSession session(model, server, leases[0]);
  std::vector<std::vector<uint8_t>> inputs;
  for (const int64_t input : package.inputs)
    inputs.push_back(RandomSample(package.tensors[input], kSeed));
  const std::vector<std::span<const uint8_t>> spans(inputs.begin(), inputs.end());
  runtime::RunProfile profile;
  runtime::Infer(session, spans, &profile);
  std::printf("%s on %s: one run in %.3f ms\n", Visible(package.model).c_str(),
              Visible(leases[0]->device()).c_str(),
              std::chrono::duration<double, std::milli>(profile.wall).count());
}

/// Files that devices have here go to the board, by their names; the devices as they are then.
std::vector<BoardFile> TakeFiles(DeployOptions& options) {
  std::vector<BoardFile> files;
  for (std::string& device : options.devices) {
    if (!HasFile(device)) continue;
    files.push_back({driver::PathOfBoard(device), NameOf(driver::PathOfBoard(device))});
    device = driver::WithPath(device, files.back().name);
  }
  return files;
}

void DeployServer(const Ssh& ssh, const BoardFolder& board, const isa::Package& package,
                  DeployOptions options) {
  const Temporary scratch(NewTemporaryFolder("vta-deploy"));
  std::vector<BoardFile> files = {{ProgramFor(board.machine(), options), kServer, "755"},
                                  {options.package, NameOf(options.package)}};
  for (BoardFile& file : TakeFiles(options)) files.push_back(std::move(file));
  const auto write = [&](const std::string& name, const std::string& text) {
    WriteFileAtomically(scratch.path() + "/" + name, text);
    files.push_back({scratch.path() + "/" + name, name});
  };
  write("vta-serve.sh", ServerScript(board, options));
  if (options.systemd) write("vta-serve.service", SystemdUnit(board));
  if (!options.config.empty()) write("config.json", isa::ConfigToJson(FindConfig(options.config)));
  if (!options.credentials.empty())
    for (const auto& entry : fs::directory_iterator(fs::path(options.credentials) / "server"))
      files.push_back({entry.path(), "credentials/" + entry.path().filename().string(), "600"});
  const int64_t sent = board.Put(files);
  std::printf("%s: %s, %s sent to %s\n", Visible(options.ssh.to).c_str(),
              Visible(board.machine()).c_str(), CountedWithCommas(sent, "byte").c_str(),
              Visible(board.path()).c_str());
  const std::string said = StartServer(board, options.systemd);
  const remote::Address there = ListensAt(said, options.ssh.to);
  TestServer(ssh, there, package, options);
  std::printf("%s", said.substr(said.find("serves ")).c_str());
  if (there.IsLoopback())
    std::printf("reached from here by: ssh -N -L %lld:127.0.0.1:%lld %s\n",
                static_cast<long long>(there.port), static_cast<long long>(there.port),
                Visible(options.ssh.to).c_str());
}

void DeployRunner(const BoardFolder& board, const isa::Package& package, DeployOptions options) {
  const std::string name = NameOf(options.package);
  std::vector<BoardFile> files = {{ProgramFor(board.machine(), options), kRunner, "755"},
                                  {options.package, name}};
  for (BoardFile& file : TakeFiles(options)) files.push_back(std::move(file));
  const int64_t sent = board.Put(files);
  std::printf("%s: %s, %s sent to %s\n", Visible(options.ssh.to).c_str(),
              Visible(board.machine()).c_str(), CountedWithCommas(sent, "byte").c_str(),
              Visible(board.path()).c_str());
  const std::string engine =
      package.config ? " --engine " + Quoted(options.devices.at(0)) : std::string();
  if (package.config)
    std::printf(
        "%s",
        board.Do(StrCat("./vta-run --self-test ", Quoted(name), engine), "self-test").c_str());
  std::printf("%s", board.Do(StrCat("./vta-run ", Quoted(name), engine), kRunner).c_str());
}

int Deploy(DeployOptions options) {
  const isa::Package package = isa::ReadPackage(options.package);
  if (options.devices.empty()) {
    if (package.config)
      throw UsageError("--device", "", "",
                       StrCat("is missing: what runs the programs of ", options.package,
                              ": functional, cycle, or one of the board's"));
    options.devices = {kCpuDevice};
  }
  for (const std::string& device : options.devices)
    if (driver::IsBoard(device)) driver::CheckBoardName(device);
  if (options.runner && options.devices.size() > 1)
    throw UsageError("--device", "", options.devices[1], "is a second one: the runner has one");
  const bool is_loopback = remote::ParseHostPort(options.listen, "--listen").IsLoopback();
  if (!is_loopback && options.credentials.empty())
    throw UsageError("--listen", "", options.listen,
                     "can be reached from other machines, for which --credentials is needed: vta "
                     "serve --make-credentials makes some");
  const Ssh ssh(options.ssh);
  const BoardFolder board(ssh, options.folder);
  if (options.runner)
    DeployRunner(board, package, options);
  else
    DeployServer(ssh, board, package, options);
  return 0;
}

}  // namespace

std::function<int()> AddDeployCommand(CLI::App& app) {
  auto options = std::make_shared<DeployOptions>();
  ReadsFile(app.add_option("PACKAGE", options->package, "a package (*.vta)")->required());
  app.option_defaults()->group("Board");
  app.add_option("--to", options->ssh.to, "the board, as ssh names it: USER@HOST")
      ->type_name("USER@HOST")
      ->required();
  app.add_option("--port", options->ssh.port, "of its ssh")->check(IntegerFrom(1, kMostSshPort));
  ReadsFile(app.add_option("--identity", options->ssh.identity, "the key that ssh shows it"));
  app.add_option("--ssh-option", options->ssh.options,
                 "NAME=VALUE, as ssh -o has it; once for each")
      ->allow_extra_args(false);
  app.add_option("--folder", options->folder, "there, for what is put there")
      ->capture_default_str();
  app.add_option("--build", options->build,
                 "a folder with vta-serve and vta-run for the board; without it that of this "
                 "machine, or of the preset for what uname -m says there")
      ->type_name("FOLDER");
  app.option_defaults()->group("Server");
  app.add_option(
         "--device", options->devices,
         "what is served there: functional, cycle, uio, serial, xrt or cpu, as --engine has "
         "it; once for each. The file of xrt goes there, too. cpu where the package has no "
         "programs")
      ->allow_extra_args(false);
  ReadsConfig(app.add_option("-c,--config", options->config, "accelerator variant of the devices"));
  CLI::Option* key = app.add_option("--key", options->key,
                                    "what clients ask for; else each is of its kind's name");
  CLI::Option* listen =
      app.add_option("--listen", options->listen,
                     "where it listens on the board: other machines reach what is no loopback, "
                     "which needs --credentials; port 0 is one that is free")
          ->type_name("HOST:PORT")
          ->capture_default_str();
  CLI::Option* credentials =
      app.add_option("--credentials", options->credentials,
                     "what vta serve --make-credentials wrote: server/ goes to the board")
          ->type_name("FOLDER");
  CLI::Option* tracker =
      app.add_option(
             "--tracker", options->tracker,
             "where vta tracker listens, as the board reaches it, which sends clients there")
          ->type_name("HOST:PORT");
  app.add_option("--announce", options->announce,
                 "where those clients reach the board, if not where the tracker sees it")
      ->type_name("HOST[:PORT]")
      ->needs(tracker);
  CLI::Option* systemd =
      app.add_flag("--systemd", options->systemd,
                   "systemd starts it, now and with the board; of root for all, else of the user");
  app.add_flag("--runner", options->runner, "put vta-run there in place of the server")
      ->excludes(key)
      ->excludes(listen)
      ->excludes(credentials)
      ->excludes(tracker)
      ->excludes(systemd);
  return [options] { return Deploy(*options); };
}

}  // namespace vta::tools
