#include "tools/vta/common/options.h"

#include "runtime/thread_pool.h"
#include "tools/energy/technology.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

// The values of the options of a kind, of the app and the commands in it that were named.
std::vector<std::string> ValuesOf(const CLI::App& app, const std::string& kind) {
  std::vector<std::string> values;
  const auto add = [&](const std::vector<std::string>& more) {
    values.insert(values.end(), more.begin(), more.end());
  };
  for (const CLI::Option* option : app.get_options())
    if (option->get_type_name() == kind) {
      if (option->count() > 0)
        add(option->results());
      else if (!option->get_default_str().empty())
        add({option->get_default_str()});
    }
  for (const CLI::App* command : app.get_subcommands()) add(ValuesOf(*command, kind));
  const auto is_group = [](const CLI::App* inner) { return inner->get_name().empty(); };
  for (const CLI::App* group : app.get_subcommands(is_group)) add(ValuesOf(*group, kind));
  return values;
}

}  // namespace

CLI::Option* ReadsFile(CLI::Option* option) { return option->type_name(kFile); }
CLI::Option* ReadsConfig(CLI::Option* option) { return option->type_name(kConfig); }
CLI::Option* ReadsEnergyTable(CLI::Option* option) { return option->type_name(kEnergyTable); }
CLI::Option* WritesFile(CLI::Option* option) { return option->type_name(kWritten); }
CLI::Option* WritesFolder(CLI::Option* option) { return option->type_name(kFolder); }

void CheckFiles(const CLI::App& app) {
  std::vector<std::string> read = ValuesOf(app, kFile);
  for (const std::string& config : ValuesOf(app, kConfig)) read.push_back(ConfigFile(config));
  for (const std::string& choice : ValuesOf(app, kEnergyTable))
    if (const std::string file = EnergyFile(choice); !file.empty()) read.push_back(file);
  CheckOutputs(ValuesOf(app, kWritten), read);
}

isa::ConfigLoader ConfigsBeside(const CLI::App& app) {
  return [&app](const std::string& config) {
    CheckOutputs(ValuesOf(app, kWritten), {ConfigFile(config)});
    return FindConfig(config);
  };
}

void AddCpuThreadsTo(CLI::App& app, int64_t* threads) {
  app.add_option("--threads", *threads,
                 "that compute what runs on the CPU; without it as many as processors")
      ->check(IntegerFrom(1, runtime::ThreadPool::kMaxThreads));
}

}  // namespace vta::tools
