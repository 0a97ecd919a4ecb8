// vta-run PACKAGE [--engine E] [--input FILE]... [--output FILE]... [--threads N] [--repeat N]:
// runs a package on this machine, and its programs, where it has some, on the functional simulator
// or on a board; or looks for what is wrong there. Without the compiler. Exit status: 0 done, 1
// failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/simulated/simulated_device.h"
#include "isa/support/error.h"
#include "runtime/cpu_features.h"
#include "runtime/engine.h"
#include "runtime/session.h"
#include "tools/shared/exit_status.h"
#include "tools/shared/inferences.h"
#include "tools/shared/native_options.h"
#include "tools/shared/output_files.h"
#include "tools/shared/statistics.h"
#include "tools/shared/trials.h"
#include "tools/shared/validators.h"

namespace vta::tools {
namespace {

constexpr uint64_t kSeed = 1;  // as vta run's, so that both give the same
constexpr int64_t kMostRepeats = 1'000'000;

struct Options {
  std::string package, engine = runtime::kFunctionalEngine;
  std::vector<std::string> inputs, outputs;
  int64_t threads = 0, repeat = 1;
  std::string config;
  std::optional<std::string> timer;
  std::optional<int64_t> in_flight;
  double limit_s = 0;
  bool bisect = false, self_test = false;
  NativeOptions native;

  runtime::Session::Deadline Deadline() const {
    return limit_s == 0 ? runtime::Session::Deadline::max()
                        : std::chrono::steady_clock::now() +
                              std::chrono::nanoseconds(static_cast<int64_t>(limit_s * 1e9));
  }
};

/// A package and what runs it.
class Runner {
 public:
  explicit Runner(const Options& options) {
    isa::Package package = options.native.Read(options.package, &kernels_);
    if (options.engine != runtime::kFunctionalEngine) ConfigFor(package, "--engine");
    device_ = runtime::OpenEngine(options.engine, package, 1 + options.in_flight.value_or(0));
    model_ = std::make_shared<runtime::Model>(std::move(package), options.package,
                                              options.native.ForModel());
    session_ = std::make_unique<runtime::Session>(
        model_, device_.get(),
        runtime::SessionOptions{.threads = options.threads, .kernels = kernels_});
  }

  const isa::Package& package() const { return session_->package(); }
  const std::shared_ptr<const runtime::Model>& model() const { return model_; }
  driver::Device* device() { return device_.get(); }
  runtime::Session& session() { return *session_; }
  const runtime::KernelOptions& kernels() const { return kernels_; }

  /// The outputs of one inference. Units: its wall time in ns is appended to `times`.
  std::vector<std::vector<uint8_t>> Run(const std::vector<std::vector<uint8_t>>& inputs,
                                        std::vector<int64_t>& times) {
    const std::vector<std::span<const uint8_t>> spans(inputs.begin(), inputs.end());
    runtime::RunProfile profile;
    auto outputs = runtime::Infer(*session_, spans, &profile);
    times.push_back(profile.wall.count());
    return outputs;
  }

 private:
  std::unique_ptr<driver::Device> device_;
  runtime::KernelOptions kernels_;
  std::shared_ptr<const runtime::Model> model_;
  std::unique_ptr<runtime::Session> session_;
};

void CheckOptions(const Options& options) {
  if (options.package.empty() && !options.self_test)
    throw UsageError("", "", "", "PACKAGE is required");
  std::vector<std::string> read = options.inputs;
  if (!options.package.empty()) read.push_back(options.package);
  if (!options.native.trusted.empty()) read.push_back(options.native.trusted);
  CheckOutputs(options.outputs, read);
  try {
    runtime::CheckEngine(options.engine);
  } catch (const Error& error) {
    throw UsageError("--engine", "", options.engine, error.rule());
  }
  for (const auto& files : {options.inputs, options.outputs})
    for (const std::string& file : files)
      if (std::filesystem::path(file).extension() == ".pb")
        throw UsageError(file, "", "", "is ONNX's: vta-run knows raw samples and *.npy");
}

// Where the output is a row of scores: which of them is the largest.
void PrintLargest(const isa::Package& package, const std::vector<std::vector<uint8_t>>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const isa::PackageTensor& tensor = package.tensors[package.outputs[i]];
    if (tensor.shape.empty() || tensor.elements() != tensor.shape.back()) continue;
    std::printf("%s: element %lld is the largest\n", Visible(tensor.name).c_str(),
                static_cast<long long>(ArgMax(outputs[i], tensor.type)));
  }
}

// Of the accelerator that the package is for, or of a config.
int SelfTest(const Options& options) {
  if (options.package.empty() == options.config.empty())
    throw UsageError("--self-test", "", "", "is for a PACKAGE's accelerator, or for a --config");
  const isa::Config config = options.package.empty()
                                 ? isa::LoadConfig(options.config)
                                 : ConfigFor(isa::ReadPackage(options.package), "--self-test");
  const auto device = runtime::OpenEngine(options.engine, config,
                                          driver::MemoryFor(runtime::SelfTestBytes(config)));
  return PrintSelfTest(config, options.engine, *device, {});
}

int Bisect(const Options& options) {
  runtime::KernelOptions kernels;
  isa::Package package = options.native.Read(options.package, &kernels);
  ConfigFor(package, "--bisect");
  RequireOneEach("--input", options.inputs, package.inputs);
  const Inferences inputs = ReadInputs(package, options.inputs, {}, kSeed);
  const auto device = runtime::OpenEngine(options.engine, package);
  const auto model = std::make_shared<runtime::Model>(std::move(package), options.package,
                                                      options.native.ForModel());
  return PrintBisection(
      model, options.engine, *device, inputs,
      {.threads = options.threads, .kernels = kernels, .deadline = options.Deadline()});
}

// Times and throughput, where somebody asked for them; the exit status.
int Measure(const Options& options, Runner& runner, const Inferences& inputs,
            const Inferences& outputs, double alone_ns, runtime::Session::Deadline deadline) {
  if (const auto timer = ParseTimer(options.timer)) {
    const std::vector<std::span<const uint8_t>> sample(inputs[0].begin(), inputs[0].end());
    std::printf("%s",
                TimingText(runtime::MeasureInference(runner.session(), sample, *timer)).c_str());
  }
  if (!options.in_flight) return 0;
  auto flown = FlySamples(
      runner.model(), runner.device(), inputs, options.repeat, outputs,
      {.in_flight = *options.in_flight, .threads = options.threads, .kernels = runner.kernels()},
      deadline);
  if (!flown) return 1;
  flown->alone = std::chrono::nanoseconds(static_cast<int64_t>(alone_ns));
  std::printf("%s", MeasuredText(*flown, WallClock(runner.package(), runner.session().device()),
                                 options.repeat * std::ssize(inputs), 1)
                        .c_str());
  return 0;
}

int Run(const Options& options) {
  CheckOptions(options);
  ParseTimer(options.timer);
  if (options.self_test) return SelfTest(options);
  if (options.bisect) return Bisect(options);
  Runner runner(options);
  const isa::Package& package = runner.package();
  RequireOneEach("--input", options.inputs, package.inputs);
  RequireOneEach("--output", options.outputs, package.outputs);
  const Inferences inputs = ReadInputs(package, options.inputs, {}, kSeed);
  const runtime::Session::Deadline deadline = options.Deadline();
  runner.session().StopAt(deadline);
  Inferences outputs(inputs.size());
  std::vector<int64_t> times;
  for (int64_t turn = 0; turn < options.repeat; ++turn)
    for (size_t i = 0; i < inputs.size(); ++i) outputs[i] = runner.Run(inputs[i], times);
  WriteOutputs(package, options.outputs, outputs);
  const RunTimes summary = Summarize(std::move(times));
  const std::string accelerator = !package.config ? ""
                                  : options.engine == runtime::kFunctionalEngine
                                      ? ", the accelerator simulated"
                                      : " and " + options.engine;
  std::printf("%s: %lld runs on %s%s: median %.3f ms, least %.3f ms\n",
              Visible(package.model).c_str(), static_cast<long long>(summary.runs),
              std::string(runtime::kBuildArch).c_str(), Visible(accelerator).c_str(),
              summary.median / 1e6, summary.min / 1e6);
  if (outputs.size() == 1) PrintLargest(package, outputs[0]);
  return Measure(options, runner, inputs, outputs, summary.median, deadline);
}

int Main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  Options options;
  CLI::App app("Runs a package that vta compile made.", "vta-run");
  app.add_option("PACKAGE", options.package, "a package (*.vta)");
  app.add_option("--engine", options.engine,
                 StrCat("what runs the accelerator's programs: ", runtime::EngineList()))
      ->capture_default_str();
  app.add_option("--input", options.inputs,
                 "raw samples, back to back, or an array (*.npy); once for each input of the model")
      ->allow_extra_args(false);
  app.add_option("--output", options.outputs,
                 "write the outputs there, raw or as *.npy; once for each")
      ->allow_extra_args(false);
  app.add_option("--threads", options.threads, "that compute; without it as many as processors")
      ->check(IntegerFrom(1, runtime::ThreadPool::kMaxThreads));
  app.add_option("--repeat", options.repeat, "run all samples so many times")
      ->check(IntegerFrom(1, kMostRepeats))
      ->capture_default_str();
  app.add_option("--limit", options.limit_s, "stop when all inferences took so many seconds")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  options.native.AddTo(app);
  app.add_option("--time", options.timer, kTimerHelp);
  app.add_option("--in-flight", options.in_flight, kInFlightHelp)
      ->check(IntegerFrom(1, runtime::Pipeline::kMostInFlight));
  CLI::Option* bisect = app.add_flag("--bisect", options.bisect, kBisectHelp);
  CLI::Option* self_test = app.add_flag("--self-test", options.self_test, kSelfTestHelp);
  app.add_option("-c,--config", options.config, "whose programs the self-test is, a file (*.json)")
      ->needs(self_test);
  Alone(app, self_test, {"PACKAGE", "--engine", "--config"});
  Alone(app, bisect,
        {"PACKAGE", "--engine", "--input", "--threads", "--limit", "--native", "--trusted",
         "--expect-hash", "--sandbox", "--kernel-limit"});
  app.footer(
      "Example: vta-run digits.vta --input image.npy. Exit status: 0 done, 1 failed, 2 wrong "
      "usage.");
  app.failure_message([](const CLI::App*, const CLI::Error& e) {
    return std::string("vta-run: ") + e.what() + "\nRun with --help for more information.\n";
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return ExitStatus("vta-run", [&] { return Run(options); });
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) { return vta::tools::Main(argc, argv); }
