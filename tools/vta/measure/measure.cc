// vta measure: what the kernels of packages take on a GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/gpu_measurer.h"
#include "tools/vta/common/gpu_trial.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

struct MeasureOptions {
  std::vector<std::string> packages;
  double limit_s = GpuMeasurer::kLimitS;
  bool requests = false;
  EngineOptions engine;
};

/// Requests and answers are JSON objects, a line each:
///   {"do": "hello"} -> {"gpu": NAME}
///   {"do": "runs", "format": F, "feature": F} -> {"runs": whether it runs such a module}
///   {"do": "measure", "package": FILE, "outputs": FILE} -> {"ns": N}
/// An answer holds "error" where a request failed.
int Serve(const MeasureOptions& options) {
  std::unique_ptr<driver::Gpu> gpu;
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    try {
      const Json request = Json::Parse(line, "request");
      JsonReader reader(request, "request");
      if (!gpu) gpu = options.engine.OpenGpu(isa::kCudaGpu);
      const std::string what = reader.String("do");
      if (what == "hello") {
        answer.Set("gpu", gpu->name());
      } else if (what == "runs") {
        answer.Set("runs", gpu->Runs(reader.String("format"), reader.String("feature")));
      } else {
        const std::string file = reader.String("package"), outputs = reader.String("outputs");
        const GpuTime time = TimeOnGpu(*gpu, isa::ReadPackage(file), file);
        WriteFileAtomically(outputs, time.outputs);
        answer.Set("ns", time.ns);
      }
    } catch (const Error& error) {
      answer.Set("error", error.what());
    }
    std::cout << answer.Dump(-1) << std::endl;
  }
  return 0;
}

int Measure(const MeasureOptions& options) {
  if (options.requests) return Serve(options);
  if (options.packages.empty()) throw UsageError("PACKAGE", "", "", "is missing");
  const isa::GpuRow* const kind = isa::ReadPackage(options.packages[0]).Gpu();
  if (!kind) throw Error(options.packages[0], "modules", "", "are not for a GPU");
  GpuWorker worker(options.engine.DeviceOf(*kind), options.limit_s);
  const Temporary folder(NewTemporaryFolder("vta-measure"));
  TableRows rows = {{"package", "kernels", "microseconds", ""}};
  bool failed = false;
  for (const std::string& package : options.packages) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector<std::string>{Visible(package), "", "", ""});
    try {
      row[1] = std::to_string(isa::ReadPackage(package).steps.size());
      row[2] = fmt::format(
          "{:.2f}", static_cast<double>(worker.Measure(package, folder.path() + "/outputs")) / 1e3);
    } catch (const Error& error) {
      row[3] = error.what();
      failed = true;
    }
  }
  fmt::print("{}\n{}", worker.gpu(), FormatTable(rows, {false, true, true, false}));
  return failed ? 1 : 0;
}

}  // namespace

std::function<int()> AddMeasureCommand(CLI::App& app) {
  auto options = std::make_shared<MeasureOptions>();
  app.add_option("PACKAGE", options->packages, "packages of kernels for a GPU");
  options->engine.AddDeviceTo(app);
  app.add_option("--limit", options->limit_s,
                 "seconds for a package; then its process is killed, and the next one begins anew")
      ->check(NumberFrom(0.1, 86400, "must be 0.1 to 86400 seconds"))
      ->capture_default_str();
  app.add_flag("--requests", options->requests, "answer requests on stdin, as vta tune makes them");
  return [options] { return Measure(*options); };
}

}  // namespace vta::tools
