// A program that serves devices: its command line, and what it does. Two have it: `vta serve`, and
// vta-serve for boards, which is without the compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/help/command_facts.h"
#include "tools/serve/program/lease_worker.h"
#include "tools/serve/program/listen.h"
#include "tools/serve/serve.h"
#include "tools/shared/native_options.h"

namespace CLI {
class App;
}

namespace vta::tools {

struct ServerOptions {
  std::vector<std::string> devices, packages;
  std::string config, key, make_credentials, tracker, announce;
  ListenOptions listen{"127.0.0.1:7227", ""};
  double beat_s = 1, lease_limit_s = 3600;
  int64_t cache_bytes = int64_t{1} << 30, days = 825;
  NativeOptions native;
};

/// What a program has for it.
struct ServerProgram {
  std::string name;                     // for people
  std::vector<std::string> simulators;  // that `open` knows beside boards
  std::string config_kind;              // kFile, or kConfig: shipped names as well
  OpenServed open;
  std::function<isa::Config(const std::string&)> load_config;
  std::function<serve::ServeFunction> serve;
  std::function<serve::CredentialsFunction> make_credentials;
};

/// Declares the options. `program`: its names.
void AddServerTo(CLI::App& app, ServerOptions& options, const ServerProgram& program);
/// Serves until the process ends; the exit status.
int RunServer(const ServerOptions& options, const ServerProgram& program);

/// The names of vta-serve.
ServerProgram BoardServer();
/// What it declares.
CommandFacts BoardServerFacts();
/// As RunProgram, of vta-serve; `commit` as VersionText.
int RunBoardServer(int argc, const char* const* argv, const std::string& commit,
                   const ServerProgram& program);

}  // namespace vta::tools
