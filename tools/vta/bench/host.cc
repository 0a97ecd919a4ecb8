// vta bench host: the model of boards' CPUs beside what others measured on them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "isa/support/temporary.h"
#include "tools/host/host_time.h"
#include "tools/host/published.h"
#include "tools/report/table.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"

namespace vta::tools {
namespace {

// In float, for no accelerator; its kernels have no code, for nothing runs.
isa::Package FloatPackageOf(const std::string& network) {
  const Temporary folder(NewTemporaryFolder("vta-host"));
  ModelOptions options;
  options.model = folder.path() + "/model.onnx";
  options.targets = "cpu";
  options.cpus.clear();
  options.exact = true;  // weights as the network has them
  compiler::BuildModel(network, 1, options.model, compiler::ModelType::kFloat);
  return OpenModel(options).package;
}

int BenchHost(const std::vector<std::string>& networks) {
  TableRows cells = {{"network", "host", "measured ms", "modelled ms", "error %", "fitted"}};
  Progress progress("bench host");
  for (const PublishedNetwork& row : kPublished) {
    const std::string name(row.network);
    if (!networks.empty() && std::ranges::find(networks, name) == networks.end()) continue;
    progress.At(name);
    const isa::Package package = FloatPackageOf(name);
    for (size_t i = 0; i < row.ms.size(); ++i) {
      if (row.ms[i] == 0) continue;
      const double ms = HostMilliseconds(kHostCpus[i], package).value();
      cells.push_back(
          {name, TextOf(kHostCpus[i]), fmt::format("{:.1f}", row.ms[i]), fmt::format("{:.1f}", ms),
           fmt::format("{:+.1f}", 100 * (ms / row.ms[i] - 1)), row.is_fitted ? "yes" : ""});
    }
  }
  progress.Hide();
  fmt::print("{}", FormatTable(cells, {false, false, true, true, true, false}));
  return 0;
}

}  // namespace

std::function<int()> AddBenchHost(CLI::App& app) {
  auto networks = std::make_shared<std::vector<std::string>>();
  std::vector<std::string> names;
  for (const PublishedNetwork& row : kPublished) names.emplace_back(row.network);
  app.add_option("NAME", *networks, StrCat("of ", Listed(names), "; all of them"))
      ->check(OneOf(names));
  return [networks] { return BenchHost(*networks); };
}

}  // namespace vta::tools
