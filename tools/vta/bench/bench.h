// The benchmarks of `vta bench`, each a subcommand.
#pragma once

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace vta::tools {

/// Each declares its options, and returns what the subcommand does.
std::function<int()> AddBenchCycle(CLI::App& app);
std::function<int()> AddBenchNetworks(CLI::App& app);
std::function<int()> AddBenchHiding(CLI::App& app);
std::function<int()> AddBenchTune(CLI::App& app);
std::function<int()> AddBenchCpu(CLI::App& app);

}  // namespace vta::tools
