// The benchmarks of `vta bench`, each a subcommand.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

/// NAME, known networks, and -c, of a benchmark that runs on one config; what they hold is usual.
void AddNetworksTo(CLI::App& app, std::vector<std::string>* networks, std::string* config);

/// Each declares its options, and returns what the subcommand does.
std::function<int()> AddBenchCycle(CLI::App& app);
std::function<int()> AddBenchNetworks(CLI::App& app);
std::function<int()> AddBenchHiding(CLI::App& app);
std::function<int()> AddBenchTune(CLI::App& app);
std::function<int()> AddBenchSearch(CLI::App& app);
std::function<int()> AddBenchExplore(CLI::App& app);
std::function<int()> AddBenchHost(CLI::App& app);
std::function<int()> AddBenchCpu(CLI::App& app);
std::function<int()> AddBenchZoo(CLI::App& app);
std::function<int()> AddBenchGpu(CLI::App& app);
std::function<int()> AddBenchSeeds(CLI::App& app);
std::function<int()> AddBenchServe(CLI::App& app);
std::function<int()> AddBenchFarm(CLI::App& app);

}  // namespace vta::tools
