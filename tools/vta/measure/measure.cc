// vta measure: what kernels of packages, or of a batch, take on a GPU.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/report/table.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/trials/gpu_measurer.h"
#include "tools/vta/common/trials/gpu_trial.h"
#include "tools/vta/measure/batch_run.h"

namespace vta::tools {
namespace {

struct MeasureOptions {
  std::vector<std::string> files;
  std::string results;  // of a batch
  double limit_s = GpuMeasurer::kLimitS;
  bool requests = false;
  EngineOptions engine;
};

/// A kernel that hangs must not outlive whoever would end it.
void EndWithAsker() {
  pollfd asker{STDIN_FILENO, POLLRDHUP, 0};
  while (asker.revents == 0) poll(&asker, 1, -1);
  _exit(1);
}

/// Requests and answers are JSON objects, a line each:
///   {"do": "hello", "code": FOLDER} -> {"gpu": NAME}; the first: what the GPU's driver makes of
///   code
///     is kept in that folder, "" for nowhere
///   {"do": "runs", "format": F, "feature": F} -> {"runs": whether it runs such a module}
///   {"do": "prepare", "package": FILE} -> {"prepared": true}: its code is kept then
///   {"do": "measure", "package": FILE, "outputs": FILE} -> {"ns": N, "kernels": N}
/// An answer holds "error" where a request failed.
int Serve(const MeasureOptions& options) {
  std::unique_ptr<driver::Gpu> gpu;
  bool ends_with_asker = false;
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    try {
      const Json request = Json::Parse(line, "request");
      JsonReader reader(request, "request");
      const std::string what = reader.String("do");
      if (what == "hello") {
        gpu = options.engine.OpenGpu(isa::kCudaGpu, reader.String("code"));
        answer.Set("gpu", gpu->name());
      } else if (!gpu) {
        throw Error("request", "do", what, "must come behind a hello");
      } else if (what == "runs") {
        answer.Set("runs", gpu->Runs(reader.String("format"), reader.String("feature")));
      } else if (what == "prepare") {
        const std::string file = reader.String("package");
        gpu->Load(isa::ReadPackage(file), file);
        answer.Set("prepared", true);
      } else {
        if (!std::exchange(ends_with_asker, true)) std::thread(EndWithAsker).detach();
        const std::string file = reader.String("package"), outputs = reader.String("outputs");
        const isa::Package package = isa::ReadPackage(file);
        const GpuTime time = TimeOnGpu(*gpu, package, file);
        WriteFileAtomically(outputs, time.outputs);
        answer.Set("ns", time.ns).Set("kernels", std::ssize(package.steps));
      }
    } catch (const Error& error) {
      answer.Set("error", error.what());
    }
    std::cout << answer.Dump(-1) << std::endl;
  }
  return 0;
}

/// The first file says what kind of GPU is meant, where no device is named.
std::string DeviceFor(const MeasureOptions& options) {
  if (!options.engine.device.empty()) return options.engine.device;
  const std::string& first = options.files[0];
  const isa::GpuRow* const kind = isa::ReadPackage(first).Gpu();
  if (!kind) throw Error(first, "modules", "", "are not for a GPU");
  return options.engine.DeviceOf(*kind);
}

int MeasurePackages(const MeasureOptions& options) {
  GpuWorker worker(DeviceFor(options), options.limit_s);
  const Temporary folder(NewTemporaryFolder("vta-measure"));
  TableRows rows = {{"package", "kernels", "microseconds", ""}};
  bool failed = false;
  for (const std::string& file : options.files) {
    std::vector<std::string>& row =
        rows.emplace_back(std::vector<std::string>{Visible(file), "", "", ""});
    try {
      const GpuWorker::Answer answer = worker.Measure(file, folder.path() + "/outputs");
      row[1] = std::to_string(answer.kernels);
      row[2] = fmt::format("{:.2f}", static_cast<double>(answer.ns) / 1e3);
    } catch (const Error& error) {
      row[3] = error.what();
      failed = true;
    }
  }
  fmt::print("{}\n{}", worker.gpu(), FormatTable(rows, {false, true, true, false}));
  return failed ? 1 : 0;
}

int Measure(const MeasureOptions& options) {
  if (options.requests) return Serve(options);
  if (options.files.empty()) throw UsageError("FILE", "", "", "is missing");
  if (options.results.empty()) return MeasurePackages(options);
  if (options.files.size() > 1)
    throw UsageError("--output", "", options.results, "has the results of one batch");
  MeasureBatch(options.files[0], options.results, options.engine, options.limit_s);
  return 0;
}

}  // namespace

std::function<int()> AddMeasureCommand(CLI::App& app) {
  auto options = std::make_shared<MeasureOptions>();
  ReadsFile(
      app.add_option("FILE", options->files,
                     "packages of kernels for a GPU; or with -o a batch of vta tune --export"));
  WritesFile(app.add_option("-o,--output", options->results,
                            "a log, for vta tune --import: what the batch's candidates take is "
                            "appended there, and what is there is not measured again"));
  options->engine.AddDeviceTo(app);
  app.add_option("--limit", options->limit_s,
                 "seconds for a package or a candidate; then its process is killed, and the next "
                 "one begins anew")
      ->check(NumberFrom(0.1, 86400, "must be 0.1 to 86400 seconds"))
      ->capture_default_str();
  app.add_flag("--requests", options->requests, "answer requests on stdin, as vta tune makes them");
  return [options] { return Measure(*options); };
}

}  // namespace vta::tools
