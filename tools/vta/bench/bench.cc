// vta bench NAME: what is measured against a peer.
#include "tools/vta/bench/bench.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/options.h"

namespace vta::tools {

void AddNetworksTo(CLI::App& app, std::vector<std::string>* networks, std::string* config) {
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  app.add_option("NAME", *networks, StrCat("of ", Listed(names)))
      ->check(OneOf(names))
      ->capture_default_str();
  ReadsConfig(
      app.add_option("-c,--config", *config, "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
}

std::function<int()> AddBenchCommand(CLI::App& app) {
  std::vector<std::pair<const CLI::App*, std::function<int()>>> benches;
  const auto add = [&](const char* name, const char* about,
                       std::function<int()> (*options)(CLI::App&)) {
    CLI::App& bench = *app.add_subcommand(name, about);
    benches.emplace_back(&bench, options(bench));
  };
  add("cycle", "the cycle model beside the RTL: cycles a second of CPU, on one core",
      AddBenchCycle);
  add("networks", "known networks on accelerator variants: cycles and their bounds",
      AddBenchNetworks);
  add("hiding", "convolutions of networks by the way that latency is hidden: cycles, share of peak",
      AddBenchHiding);
  add("tune", "searches of networks' schedules beside uniform samples of their spaces",
      AddBenchTune);
  add("search", "searches of kernels on this CPU by a cost model beside random ones",
      AddBenchSearch);
  add("explore", "variants costed beside a loop of vta run, and bred beside chance",
      AddBenchExplore);
  add("host", "the model of boards' CPUs beside what others measured on them", AddBenchHost);
  add("cpu", "networks on the CPU beside ONNX Runtime: milliseconds an inference", AddBenchCpu);
  add("zoo",
      "model files that people ship: on the CPU beside their runtime, and on the accelerator",
      AddBenchZoo);
  add("gpu", "networks on a GPU beside PyTorch: milliseconds an inference", AddBenchGpu);
  add("seeds",
      "tables of the documents that the project began with, on what is here, beside their figures",
      AddBenchSeeds);
  add("serve", "a served device beside one of this machine: milliseconds, on loopback",
      AddBenchServe);
  add("farm", "a search by workers of a farm beside one of one process, and with more workers",
      AddBenchFarm);
  app.require_subcommand(1);
  return [benches] {
    for (const auto& [bench, run] : benches)
      if (bench->parsed()) return run();
    return 2;
  };
}

}  // namespace vta::tools
