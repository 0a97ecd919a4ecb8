// vta farm up: a local NATS server, for trying a farm out.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "driver/remote/client.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/temporary.h"
#include "tools/farm/link.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

namespace remote = driver::remote;
namespace fs = std::filesystem;

constexpr auto kStartLimit = std::chrono::seconds(10);

struct FarmUpOptions {
  std::string listen = "127.0.0.1:7228", store, credentials;
  int64_t disk_bytes = int64_t{4} << 30;
};

/// Debian has it where only administrators look.
std::string ServerProgram() {
  const char* const path = std::getenv("PATH");
  std::string folders = StrCat(path ? path : "", ":/usr/sbin:/usr/local/sbin");
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/nats-server";
    if (end > begin && access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  throw Error("vta farm", "nats-server", "",
              "is not installed: apt-get install nats-server, or ./vta farm up, which asks");
}

/// JSON is a config of NATS, too.
std::string Quoted(const std::string& text) { return Json(text).Dump(-1); }

/// What is secret stands in a file that only this user may read, never among the words of a
/// process.
std::string ServerConfig(const remote::Address& listen, const FarmUpOptions& options,
                         const std::string& folder, const std::string& store) {
  const remote::Credentials shown = remote::ReadCredentials(options.credentials);
  std::string config =
      StrCat("host: ", Quoted(listen.host), "\nport: ", listen.port == 0 ? -1 : listen.port,
             "\nports_file_dir: ", Quoted(folder), "\nmax_connections: 4096\n",
             "jetstream { store_dir: ", Quoted(store), ", max_memory_store: 67108864",
             ", max_file_store: ", options.disk_bytes, " }\n");
  if (!shown.token.empty())
    config += StrCat("authorization { token: ", Quoted(shown.token), " }\n");
  if (!shown.key.empty()) {
    const auto file = [&](const char* name) {
      return Quoted(fs::absolute(fs::path(options.credentials) / name));
    };
    config += StrCat("tls { cert_file: ", file("certificate.pem"), ", key_file: ", file("key.pem"));
    if (!shown.ca.empty()) config += StrCat(", ca_file: ", file("ca.pem"), ", verify: true");
    config += " }\n";
  }
  return config;
}

pid_t StartServer(const std::string& program, const std::string& config, const std::string& log,
                  const sigset_t& before) {
  const pid_t parent = getpid(), process = fork();
  if (process < 0)
    throw Error(program, "", "", StrCat("cannot be started: ", std::strerror(errno)));
  if (process > 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(out, STDOUT_FILENO), dup2(out, STDERR_FILENO);
  execl(program.c_str(), "nats-server", "-c", config.c_str(), nullptr);
  _exit(127);
}

/// Of the file that the server writes when it listens; 0 before that.
int64_t PortOf(const std::string& folder) {
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".ports") continue;
    try {
      const Json ports = Json::Parse(ReadTextFile(file.path()), file.path());
      const std::string url = *ports.Find("nats")->as_array()->at(0).as_string();
      return remote::ParseHostPort(url.substr(url.find("//") + 2), "port").port;
    } catch (const std::exception&) {
      return 0;  // it is half written
    }
  }
  return 0;
}

/// What a server that did not start says.
std::string LastLine(const std::string& log) {
  std::string text = ReadTextFile(log);
  while (text.ends_with('\n')) text.pop_back();
  const size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

int Up(const FarmUpOptions& options) {
  remote::Address listen;
  try {
    listen = remote::ParseHostPort(options.listen, "--listen");
  } catch (const Error& error) {
    throw UsageError("--listen", "", error.value(), error.rule());
  }
  if (!listen.IsLoopback() && options.credentials.empty())
    throw UsageError("--listen", "", options.listen,
                     "can be reached from other machines, for which --credentials is needed: vta "
                     "serve --make-credentials makes some");
  const std::string program = ServerProgram();
  const Temporary own(NewTemporaryFolder("vta-farm"));
  const std::string store = options.store.empty() ? own.path() + "/store" : options.store;
  fs::create_directories(store);
  const std::string config = own.path() + "/nats.conf", log = own.path() + "/log";
  WriteFileAtomically(config, ServerConfig(listen, options, own.path(), fs::absolute(store)));
  sigset_t ends, before;
  sigemptyset(&ends);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&ends, number);
  sigprocmask(SIG_BLOCK, &ends, &before);
  const pid_t server = StartServer(program, config, log, before);
  const auto stop = [&] {
    kill(server, SIGTERM);
    while (waitpid(server, nullptr, 0) < 0 && errno == EINTR) {
    }
  };
  const auto limit = std::chrono::steady_clock::now() + kStartLimit;
  while (PortOf(own.path()) == 0) {
    if (waitpid(server, nullptr, WNOHANG) == server)
      throw Error(program, "", "", StrCat("ended: ", LastLine(log)));
    if (std::chrono::steady_clock::now() > limit) {
      stop();
      throw Error(program, "", "", StrCat("did not listen in time: ", LastLine(log)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  listen.port = PortOf(own.path());
  farm::Access access{
      listen, !remote::ReadCredentials(options.credentials).key.empty(), {}, "", ""};
  fmt::print("serves {}\n", access.Name());
  std::fflush(stdout);
  int signal = 0;
  do {
    sigwait(&ends, &signal);
  } while (signal == SIGCHLD && waitpid(server, nullptr, WNOHANG) == 0);
  if (signal == SIGCHLD) throw Error(program, "", "", StrCat("ended: ", LastLine(log)));
  stop();
  return 0;
}

}  // namespace

std::function<int()> AddFarmCommand(CLI::App& app) {
  auto options = std::make_shared<FarmUpOptions>();
  CLI::App& up = *app.add_subcommand("up", "start a NATS server here, for trying a farm out");
  up.add_option("--listen", options->listen,
                "where: other machines reach what is no loopback, which needs --credentials; port "
                "0 is one that is free")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  up.add_option("--credentials", options->credentials,
                "a folder with what others must show and the server shows: server/ of what vta "
                "serve --make-credentials wrote")
      ->type_name("FOLDER");
  WritesFolder(up.add_option("--store", options->store,
                             "where work is kept that is not done; without it that goes with the "
                             "server"));
  up.add_option("--disk", options->disk_bytes, "most that it takes: bytes, or with K, M or G")
      ->transform(Bytes())
      ->type_name("BYTES")
      ->default_str("4G");
  app.require_subcommand(1);
  return [options] { return Up(*options); };
}

}  // namespace vta::tools
