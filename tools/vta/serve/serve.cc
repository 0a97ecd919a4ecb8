// vta serve --device D [--key NAME] [--listen HOST:PORT]: gives devices to other machines.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "driver/boards.h"
#include "driver/remote/client.h"
#include "tools/serve/program/server.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/engines.h"

namespace vta::tools {
namespace {

namespace remote = driver::remote;

std::unique_ptr<driver::Device> OpenServedEngine(const std::string& name, const isa::Config& config,
                                                 std::optional<int64_t> memory_bytes) {
  EngineOptions engine;
  engine.name = name;
  return OpenEngine(engine, config, memory_bytes);
}

template <typename Function>
Function* Symbol(const char* name) {
  return reinterpret_cast<Function*>(remote::RemoteModuleSymbol(name));
}

std::vector<std::string> Simulators() {
  std::vector<std::string> names = EngineNames();
  std::vector<std::string> others = driver::BoardUsages();
  others.emplace_back(remote::kRemoteUsage);
  std::erase_if(names, [&](const auto& name) { return std::ranges::count(others, name) > 0; });
  return names;
}

ServerProgram ToolServer() {
  ServerProgram program;
  program.name = "vta serve";
  program.simulators = Simulators();
  program.config_kind = kConfig;
  program.open = OpenServedEngine;
  program.load_config = FindConfig;
  program.serve = [](const serve::ServeOptions& options) {
    Symbol<serve::ServeFunction>(serve::kServeSymbol)(options);
  };
  program.make_credentials = [](const std::string& folder, int64_t days) {
    Symbol<serve::CredentialsFunction>(serve::kCredentialsSymbol)(folder, days);
  };
  return program;
}

}  // namespace

std::function<int()> AddServeCommand(CLI::App& app) {
  auto options = std::make_shared<ServerOptions>();
  AddServerTo(app, *options, ToolServer());
  return [options] { return RunServer(*options, ToolServer()); };
}

}  // namespace vta::tools
