// The command line of vta-run, the runner for boards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace vta::tools {

struct RunnerOptions {
  RunnerOptions();
  std::string package, engine;
  std::vector<std::string> inputs, outputs;
  int64_t threads = 0, repeat = 1;
  std::string config;
  std::optional<std::string> timer;
  std::optional<int64_t> in_flight;
  bool bisect = false, self_test = false;
};

/// vta-run's declarations; they write to `options`, which must live as long. `commit` as
/// VersionText.
std::unique_ptr<CLI::App> RunnerApp(RunnerOptions& options, const std::string& commit);

}  // namespace vta::tools
