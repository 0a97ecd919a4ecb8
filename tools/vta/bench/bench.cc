// vta bench NAME: what is measured against a peer.
#include "tools/vta/bench/bench.h"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "tools/vta/commands.h"

namespace vta::tools {

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
  add("cpu", "networks on the CPU beside ONNX Runtime: milliseconds an inference", AddBenchCpu);
  app.require_subcommand(1);
  return [benches] {
    for (const auto& [bench, run] : benches)
      if (bench->parsed()) return run();
    return 2;
  };
}

}  // namespace vta::tools
