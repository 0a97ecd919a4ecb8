#include "tools/shared/trials.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

#include "driver/functional/functional_device.h"
#include "isa/support/error.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"

namespace vta::tools {
namespace {

constexpr int64_t kMostMinMs = 3'600'000;

template <typename... Args>
std::string Format(const char* format, Args... args) {
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, args...)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, args...);
  return text;
}

double Milliseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1e6;
}

// Of a run alone and among others, each of `batch` inferences; its last line does not end.
std::string ThroughputText(const runtime::Throughput& t, int64_t batch) {
  const auto in_flight = static_cast<long long>(t.in_flight);
  return Format(
      "latency: %.3f ms alone, %.3f ms with %lld in flight\nthroughput: %.1f inferences/s with "
      "%lld in flight",
      Milliseconds(t.alone), Milliseconds(t.latency), in_flight,
      static_cast<double>(batch) * t.per_second(), in_flight);
}

std::unique_ptr<driver::FunctionalDevice> Golden(const isa::Config& config, int64_t memory_bytes) {
  return std::make_unique<driver::FunctionalDevice>(
      config, driver::FunctionalOptions{.memory_bytes = memory_bytes, .machine = {}});
}

}  // namespace

std::optional<runtime::TimerOptions> ParseTimer(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  runtime::TimerOptions options;
  const auto refuse = [&](const std::string& word, const std::string& rule) {
    throw UsageError("--time", "", word, rule);
  };
  std::set<std::string> keys;
  for (const std::string& word : SplitList(*text)) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const bool is_time = key == "min-ms";
    if (equals == std::string::npos || (key != "number" && key != "repeat" && !is_time))
      refuse(word, "must be number=N, repeat=N or min-ms=N, with commas between them");
    if (!keys.insert(key).second) refuse(word, "is given twice");
    const int64_t least = is_time ? 0 : 1, most = is_time ? kMostMinMs : runtime::kMostTimerRuns;
    int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, value);
    if (error != std::errc() || stop != end || value < least || value > most)
      refuse(word, StrCat("must be an integer, ", least, " to ", most));
    if (is_time)
      options.min_time = std::chrono::milliseconds(value);
    else
      (key == "number" ? options.number : options.repeat) = value;
  }
  return options;
}

const isa::Config& ConfigFor(const isa::Package& package, const std::string& option) {
  if (!package.config)
    throw UsageError(option, "", "", "is for an accelerator, and the package has none");
  return *package.config;
}

std::string TimingText(const runtime::Timing& timing) {
  return Format(
      "time: %.6f ms +- %.6f ms, mean and deviation of %zu measurements of %lld runs\n  %s\n",
      timing.mean() / 1e6, timing.deviation() / 1e6, timing.results.size(),
      static_cast<long long>(timing.number), timing.clock.Text().c_str());
}

std::string ModelledText(const runtime::Throughput& t, const runtime::StepClock& clock,
                         int64_t batch) {
  return ThroughputText(t, batch) +
         Format("; accelerator busy %.0f %%, host %.0f %%\n  modelled, without copies: %s\n",
                100 * t.device_busy, 100 * t.host_busy, clock.Text().c_str());
}

std::string MeasuredText(const runtime::Throughput& t, const runtime::StepClock& clock,
                         int64_t runs, int64_t batch) {
  return ThroughputText(t, batch) + Format("\n  measured in %lld runs: %s\n",
                                           static_cast<long long>(runs), clock.Text().c_str());
}

runtime::StepClock WallClock(const isa::Package& package, const driver::DeviceId* device) {
  const runtime::TimeKind kind = runtime::ClockOf(package, device).kind;
  return {kind == runtime::TimeKind::kWall ? kind : runtime::TimeKind::kSimulation};
}

std::optional<runtime::Throughput> FlySamples(const std::shared_ptr<const runtime::Model>& model,
                                              driver::Device* device, const Inferences& inputs,
                                              int64_t repeat, const Inferences& outputs,
                                              runtime::PipelineOptions options,
                                              runtime::Session::Deadline deadline) {
  const auto samples = static_cast<int64_t>(inputs.size());
  options.in_flight = std::min(options.in_flight, samples * repeat);
  runtime::Pipeline pipeline(model, device, options);
  pipeline.StopAt(deadline);
  std::vector<runtime::Flown> flown;  // without their outputs: there may be many
  bool equal = true;
  const auto next = [&] {
    runtime::Flown sample = pipeline.Next();
    equal &= sample.outputs == outputs[sample.sample % samples];
    sample.outputs.clear();
    flown.push_back(std::move(sample));
  };
  for (int64_t i = 0; i < samples * repeat; ++i) {
    pipeline.Submit(inputs[i % samples]);
    if (pipeline.waiting() > options.in_flight + runtime::Pipeline::kQueue) next();
  }
  while (pipeline.waiting() > 0) next();
  if (equal) return runtime::Measured(flown, options.in_flight);
  Log(LogLevel::kError,
      StrCat("outputs with ", options.in_flight,
             " in flight differ from those of one run after the other: the device does not always "
             "do the same"));
  return std::nullopt;
}

int PrintBisection(const std::shared_ptr<const runtime::Model>& model, const std::string& name,
                   driver::Device& device, const Inferences& inputs,
                   const runtime::BisectOptions& options) {
  const isa::Package& package = model->package();
  const auto golden = Golden(*package.config, driver::MemoryFor(package));
  const runtime::Bisection found = runtime::Bisect(model, device, *golden, inputs, options);
  if (options.progress) options.progress("");
  std::printf("%s", runtime::BisectText(*model, name, found).c_str());
  return found.equal() ? 0 : 1;
}

int PrintSelfTest(const isa::Config& config, const std::string& name, driver::Device& device,
                  const runtime::SelfTestOptions& options) {
  const auto golden = Golden(config, driver::MemoryFor(runtime::SelfTestBytes(config)));
  const runtime::SelfTestResult result = runtime::RunSelfTest(config, device, *golden, options);
  if (options.progress) options.progress("");
  std::printf("%s", runtime::SelfTestText(name, result).c_str());
  return result.failures.empty() ? 0 : 1;
}

}  // namespace vta::tools
