// vta-run PACKAGE [--engine E] [--input FILE]... [--output FILE]... [--threads N] [--repeat N]:
// runs a package on this machine, and its programs, where it has some, on the functional simulator
// or on a board; or looks for what is wrong there. Without the compiler. Exit status: 0 done, 1
// failed, 2 wrong usage.
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
#include "isa/support/plural.h"
#include "runtime/cpu_features.h"
#include "runtime/engine.h"
#include "runtime/session.h"
#include "tools/runner/options.h"
#include "tools/shared/answer.h"
#include "tools/shared/inferences.h"
#include "tools/shared/native_options.h"
#include "tools/shared/output_files.h"
#include "tools/shared/sample_options.h"
#include "tools/shared/stack.h"
#include "tools/shared/states.h"
#include "tools/shared/statistics.h"
#include "tools/shared/trials.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"

namespace vta::tools {
namespace {

constexpr uint64_t kSeed = 1;  // as vta run's, so that both give the same

/// A package and what runs it.
class Runner {
 public:
  explicit Runner(const RunnerOptions& options) {
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

void CheckOptions(const RunnerOptions& options) {
  if (options.package.empty() && !options.self_test)
    throw UsageError("", "", "", "PACKAGE is required");
  std::vector<std::string> read = options.inputs;
  for (const std::string& file : {options.package, options.class_names, options.native.trusted})
    if (!file.empty()) read.push_back(file);
  CheckOutputs(options.outputs, read);
  try {
    runtime::CheckEngine(options.engine);
  } catch (const Error& error) {
    throw UsageError("--engine", "", options.engine, error.rule());
  }
  for (const auto& files : {options.inputs, options.outputs})
    for (const std::string& file : files)
      if (std::filesystem::path(file).extension() == ".pb")
        throw UsageError(file, "", "", "is ONNX's: vta-run knows raw samples, *.npy and pictures");
}

// Of the accelerator that the package is for, or of a config.
int SelfTest(const RunnerOptions& options) {
  if (options.package.empty() == options.config.empty())
    throw UsageError("--self-test", "", "", "is for a PACKAGE's accelerator, or for a --config");
  const isa::Config config = options.package.empty()
                                 ? isa::LoadConfig(options.config)
                                 : ConfigFor(isa::ReadPackage(options.package), "--self-test");
  const auto device = runtime::OpenEngine(options.engine, config,
                                          driver::MemoryFor(runtime::SelfTestBytes(config)));
  return PrintSelfTest(config, options.engine, *device, {});
}

int Bisect(const RunnerOptions& options) {
  runtime::KernelOptions kernels;
  isa::Package package = options.native.Read(options.package, &kernels);
  ConfigFor(package, "--bisect");
  RequireOneEach("--input", options.inputs, package.inputs);
  const Inferences inputs = ReadInputs(package, options.inputs, options.encoding, kSeed).samples;
  const auto device = runtime::OpenEngine(options.engine, package);
  const auto model = std::make_shared<runtime::Model>(std::move(package), options.package,
                                                      options.native.ForModel());
  return PrintBisection(
      model, options.engine, *device, inputs,
      {.threads = options.threads, .kernels = kernels, .deadline = options.Deadline()});
}

// Times and throughput, where somebody asked for them; the exit status.
int Measure(const RunnerOptions& options, Runner& runner, const Inferences& inputs,
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

int Run(const RunnerOptions& options) {
  CheckOptions(options);
  ParseTimer(options.timer);
  if (options.self_test) return SelfTest(options);
  if (options.bisect) return Bisect(options);
  Runner runner(options);
  const isa::Package& package = runner.package();
  RequireOneEach("--output", options.outputs, package.outputs);
  const std::vector<std::string> class_names = options.class_names.empty()
                                                   ? std::vector<std::string>()
                                                   : LoadClassNames(options.class_names, package);
  const States states(package, options.states);
  Inputs given = states.ReadInputs(package, options.inputs, options.encoding, kSeed);
  Inferences& inputs = given.samples;
  const runtime::Session::Deadline deadline = options.Deadline();
  runner.session().StopAt(deadline);
  Inferences outputs(inputs.size());
  std::vector<int64_t> times;
  for (int64_t turn = 0; turn < options.repeat; ++turn)
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0) states.Carry(outputs[i - 1], inputs[i]);
      outputs[i] = runner.Run(inputs[i], times);
    }
  WriteOutputs(package, options.outputs, outputs);
  const RunTimes summary = Summarize(std::move(times));
  const std::string accelerator = !package.config ? ""
                                  : options.engine == runtime::kFunctionalEngine
                                      ? ", the accelerator simulated"
                                      : " and " + options.engine;
  std::printf("%s: %s on %s%s: median %.3f ms, least %.3f ms\n", Visible(package.model).c_str(),
              Counted(summary.runs, "run").c_str(), std::string(runtime::kBuildArch).c_str(),
              Visible(accelerator).c_str(), summary.median / 1e6, summary.min / 1e6);
  std::printf("%s", AnswerText(package, outputs, given.pictures, class_names).c_str());
  return Measure(options, runner, inputs, outputs, summary.median, deadline);
}

}  // namespace
}  // namespace vta::tools

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of sizes is an error like a full disk
  return vta::tools::OnOwnStack("vta-run", [&] {
    return vta::tools::RunRunner(argc, argv, vta::tools::kCommit, vta::tools::Run);
  });
}
