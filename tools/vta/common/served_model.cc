#include "tools/vta/common/served_model.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "isa/spec/cpu.h"
#include "runtime/cpu_features.h"
#include "tools/serve/program/lease_worker.h"
#include "tools/shared/version.h"

namespace vta::tools {
namespace {

bool IsGiven(const ModelOptions& options, const std::string& name) {
  return std::ranges::any_of(options.compile_options, [&](const CLI::Option* option) {
    return option->get_name() == name && option->count() > 0;
  });
}

/// The most able CPU of the names that --cpu knows that it is: nothing where it is none, or is as
/// this machine's, which "native" names.
std::optional<std::string> NameOfCpu(const driver::remote::ServedCpu& served) {
  const std::vector<std::string>& names = served.features;
  const runtime::Cpu cpu{served.arch, {names.begin(), names.end()}}, own = runtime::ThisCpu();
  if (cpu.arch == own.arch && cpu.features == own.features) return std::nullopt;
  for (const isa::CpuRow& row : isa::kCpus)
    if (cpu.Runs(row)) return std::string(row.name);
  return std::nullopt;
}

}  // namespace

void TakeFromServer(const EngineOptions& engine, ModelOptions* options) {
  if (!engine.IsRemote() || (!options->model.empty() && IsPackage(options->model))) return;
  const driver::remote::Address address = driver::remote::ParseAddress(engine.name, "--engine");
  const auto server = driver::remote::Connect(
      address, driver::remote::ReadCredentials(engine.credentials), StrCat("vta ", Version()));
  if (!IsGiven(*options, "--config") && !server->config_json().empty())
    options->own_config = isa::ParseConfig(server->config_json(), engine.name);
  if (const auto cpu = NameOfCpu(server->cpu()); cpu && !IsGiven(*options, "--cpu"))
    options->cpus = *cpu;
  if (IsGiven(*options, "--target")) return;
  const auto is_cpu = [&](const driver::remote::ServedDevice& device) {
    return device.name == kCpuDevice || (!address.key.empty() && device.key != address.key);
  };
  if (std::ranges::all_of(server->List().devices, is_cpu)) options->targets = "cpu";
}

}  // namespace vta::tools
