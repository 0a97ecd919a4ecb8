#include "tools/vta/common/engines.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "driver/boards.h"
#include "driver/cuda/cuda_gpu.h"
#include "driver/functional/functional_device.h"
#include "driver/hls/hls_device.h"
#include "driver/lockstep/timed_lockstep_device.h"
#include "driver/opencl/opencl_gpu.h"
#include "driver/remote/remote_device.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/build/once.h"
#include "sim/rtl/wave.h"
#include "sim/trace/perfetto.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"
#include "tools/timing/estimates.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kCycle[] = "cycle", kRtl[] = "rtl", kHls[] = "hls";

using Open = std::unique_ptr<driver::Device> (*)(const EngineOptions&, const isa::Config&,
                                                 int64_t memory_bytes);
struct Engine {
  std::string_view name;
  Open open;
};

std::unique_ptr<driver::Device> OpenFunctional(const EngineOptions&, const isa::Config& config,
                                               int64_t memory_bytes) {
  return std::make_unique<driver::FunctionalDevice>(
      config, driver::FunctionalOptions{.memory_bytes = memory_bytes});
}

template <typename Device>
std::unique_ptr<driver::Device> OpenModel(const EngineOptions& options, const isa::Config& config,
                                          int64_t memory_bytes) {
  sim::RtlOptions rtl;
  rtl.timeline = options.timeline;
  sim::ModelOptions model;
  if (Progress* progress = options.progress) {
    rtl.cycles_seen = &progress->cycles();
    model.on_wait = [progress](const std::string& what) { progress->At(what); };
  }
  rtl.wave_path = options.growing_wave;
  rtl.wave_begin = options.wave_from.value_or(rtl.wave_begin);
  rtl.wave_end = options.wave_to.value_or(rtl.wave_end);
  return std::make_unique<Device>(config, memory_bytes, rtl, model);
}

std::unique_ptr<driver::Device> OpenCycle(const EngineOptions& options, const isa::Config& config,
                                          int64_t memory_bytes) {
  if (options.lockstep)
    return OpenModel<driver::TimedLockstepDevice>(options, config, memory_bytes);
  return std::make_unique<driver::CycleDevice>(
      config, driver::CycleOptions{.memory_bytes = memory_bytes,
                                   .timeline = options.timeline,
                                   .what_if = options.what_if_runs});
}

std::unique_ptr<driver::Device> OpenRtl(const EngineOptions& options, const isa::Config& config,
                                        int64_t memory_bytes) {
  if (options.lockstep) return OpenModel<driver::LockstepDevice>(options, config, memory_bytes);
  return OpenModel<driver::RtlDevice>(options, config, memory_bytes);
}

std::unique_ptr<driver::Device> OpenHls(const EngineOptions& options, const isa::Config& config,
                                        int64_t memory_bytes) {
  sim::HlsBuild build;
  if (Progress* progress = options.progress)
    build.on_wait = [progress](const std::string& what) { progress->At(what); };
  return std::make_unique<driver::HlsDevice>(config, memory_bytes, sim::HlsOptions{}, build);
}

constexpr Engine kEngines[] = {
    {"functional", OpenFunctional},
    {kCycle, OpenCycle},
    {kRtl, OpenRtl},
    {kHls, OpenHls},
};

// A simulator, or what names a board.
CLI::Validator EngineName() {
  return CLI::Validator(
      [](std::string& text) {
        const std::vector<std::string> names = EngineNames();
        for (const Engine& engine : kEngines)
          if (engine.name == text) return std::string();
        const bool is_remote = driver::remote::IsRemote(text);
        if (!is_remote && !driver::IsBoard(text))
          return StrCat(text, " must be one of ", Listed(names), DidYouMean(text, names));
        try {
          if (is_remote)
            driver::remote::ParseAddress(text, "");
          else
            driver::CheckBoardName(text);
        } catch (const Error& error) {
          return StrCat(text, " ", error.rule());
        }
        return std::string();
      },
      Choices{EngineNames()}.Text());
}

struct GpuDriver {
  const isa::GpuRow* kind;
  std::unique_ptr<driver::Gpu> (*open)(int64_t ordinal, const std::string& cache_folder);
};
constexpr GpuDriver kGpuDrivers[] = {{&isa::kCudaGpu, driver::OpenCudaGpu},
                                     {&isa::kOpenClGpu, driver::OpenOpenClGpu}};

/// That of KIND:N; or nullptr.
const GpuDriver* FindGpuDriver(std::string_view device) {
  for (const GpuDriver& row : kGpuDrivers)
    if (device.substr(0, device.find(':')) == row.kind->name) return &row;
  return nullptr;
}

CLI::Validator GpuName() {
  return CLI::Validator(
      [](std::string& text) {
        const size_t colon = text.find(':');
        const std::string number = colon == std::string::npos ? "" : text.substr(colon + 1);
        const bool good = FindGpuDriver(text) && !number.empty() && number.size() < 4 &&
                          std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
        return good ? std::string() : StrCat(text, " must be cuda:N or opencl:N, such as cuda:0");
      },
      "");
}

CLI::Validator Cycle() { return IntegerFrom(0, 1'000'000'000'000'000'000); }

}  // namespace

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const Engine& engine : kEngines) names.emplace_back(engine.name);
  for (std::string& usage : driver::BoardUsages()) names.push_back(std::move(usage));
  names.emplace_back(driver::remote::kRemoteUsage);
  return names;
}

CLI::Option* AddCredentialsTo(CLI::App& app, std::string* folder) {
  return app
      .add_option("--credentials", *folder,
                  "a folder with what a server wants to see: client/ of what vta serve "
                  "--make-credentials wrote")
      ->envname("VTA_CREDENTIALS")
      ->type_name("FOLDER");
}

void EngineOptions::AddNameTo(CLI::App& app) {
  AddEngineTo(app);
  AddThreadsTo(app);
}

void EngineOptions::AddEngineTo(CLI::App& app) {
  app.option_defaults()->group("Engine");
  name_option_ = app.add_option("--engine", name, StrCat("one of ", Listed(EngineNames())))
                     ->check(EngineName())
                     ->capture_default_str();
  AddDeviceTo(app);
  AddServerTo(app);
}

void EngineOptions::AddMeasureTo(CLI::App& app) {
  name_option_ = app.add_option("--measure", name,
                                "an engine that counts cycles, of a board or a server, on which "
                                "programs run in place of the cycle model")
                     ->check(EngineName());
  AddServerTo(app);
}

void EngineOptions::AddMachineTo(CLI::App& app) {
  name_option_ =
      app.add_option("--measure", name,
                     StrCat(kNativeCpu,
                            ", this machine's CPU, cuda:N or opencl:N, a GPU, or an engine that "
                            "counts cycles, of a board or a server: trials are measured there, one "
                            "at a time, and no others are made"))
          ->check(CLI::Validator(
              [](std::string& text) {
                if (text == kNativeCpu) return std::string();
                if (FindGpuDriver(text)) return GpuName()(text);
                std::string why = EngineName()(text);
                constexpr std::string_view kOneOf = "must be one of ";
                if (const size_t at = why.find(kOneOf); at != std::string::npos)
                  why.insert(at + kOneOf.size(), StrCat(kNativeCpu, ", cuda:N, opencl:N, "));
                return why;
              },
              ""))
          ->type_name("WHAT");
}

bool EngineOptions::is_named() const { return name_option_ && name_option_->count() > 0; }

void EngineOptions::AddThreadsTo(CLI::App& app) { AddCpuThreadsTo(app, &threads); }

void EngineOptions::AddServerTo(CLI::App& app) {
  app.option_defaults()->group("Served devices");
  AddCredentialsTo(app, &credentials);
  app.add_option("--wait", wait_s, "seconds to wait for a free device of a server")
      ->check(NumberFrom(0, 1e6, "must be 0 to 1e6 seconds"))
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--priority", priority, "in that queue: higher ones come first")
      ->check(IntegerFrom(-1000, 1000))
      ->capture_default_str();
  app.option_defaults()->group("Engine");
}

void EngineOptions::AddDeviceTo(CLI::App& app) {
  app.add_option(
         "--device", device,
         "the GPU that runs kernels for one: cuda:N or opencl:N, counted from 0; where none "
         "is given, the first of the kind that they are for")
      ->check(GpuName())
      ->type_name("GPU");
}

const isa::GpuRow& EngineOptions::GpuKind(const isa::GpuRow& otherwise) const {
  return device.empty() ? otherwise : *FindGpuDriver(device)->kind;
}

std::string EngineOptions::DeviceOf(const isa::GpuRow& otherwise) const {
  return device.empty() ? StrCat(otherwise.name, ":0") : device;
}

std::unique_ptr<driver::Gpu> EngineOptions::OpenGpu(const isa::GpuRow& otherwise,
                                                    const std::string& code_folder) const {
  const std::string wanted = DeviceOf(otherwise);
  return FindGpuDriver(wanted)->open(std::stoll(wanted.substr(wanted.find(':') + 1)), code_folder);
}

std::vector<std::string> EngineOptions::names() const { return SplitList(name); }

bool EngineOptions::IsRemote() const { return driver::remote::IsRemote(name); }

void EngineOptions::RefuseAll() const {
  const std::pair<const char*, bool> given[] = {{"--engine", is_named() && !IsRemote()},
                                                {"--lockstep", lockstep},
                                                {"--wave", !wave.empty()},
                                                {"--trace", !trace.empty()},
                                                {"--what-if", !what_if.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      throw UsageError(option, "", "", "is for an accelerator, and the package has none");
}

void EngineOptions::AddTo(CLI::App& app) {
  AddEngineTo(app);
  AddLooksTo(app);
}

void EngineOptions::AddListTo(CLI::App& app) {
  app.option_defaults()->group("Engine");
  name_option_ = app.add_option("--engine", name,
                                StrCat("one of ", Listed(EngineNames()),
                                       ", or several with commas between them, which are compared"))
                     ->check(SomeOf(EngineName(), "an engine"))
                     ->capture_default_str();
  AddDeviceTo(app);
  AddThreadsTo(app);
  AddServerTo(app);
  AddLooksTo(app);
}

void EngineOptions::AddLooksTo(CLI::App& app) {
  app.add_flag(
      "--lockstep", lockstep,
      "compare each instruction of the RTL with the golden model and, of the engine cycle, "
      "its start and end with the cycle model; stop at a difference");
  CLI::Option* file =
      WritesFile(app.add_option("--wave", wave, "write the RTL's signals there as FST"));
  app.add_option("--wave-from", wave_from, "first cycle in it, counted from power-on")
      ->check(Cycle())
      ->needs(file);
  app.add_option("--wave-to", wave_to, "cycle before which it ends")->check(Cycle())->needs(file);
  file = WritesFile(app.add_option("--trace", trace,
                                   "write there what each module did when, for ui.perfetto.dev"));
  app.add_option("--trace-mb", trace_mb, "largest trace, in MB; what begins later is cut")
      ->check(IntegerFrom(1, 1'000'000))
      ->needs(file)
      ->capture_default_str();
}

Observation::Observation(EngineOptions& options) : options_(options) {
  const bool wave = !options.wave.empty(), trace = !options.trace.empty();
  if (options.name_option_->count() == 0)
    options.name = options.lockstep || wave            ? kRtl
                   : trace || !options.what_if.empty() ? kCycle
                                                       : options.name;
  if (options.names().size() > 1 && (options.lockstep || wave || trace))
    throw UsageError(options.lockstep ? "--lockstep"
                     : wave           ? "--wave"
                                      : "--trace",
                     "", "", StrCat("looks into one engine, not into ", options.name));
  if (wave && options.name != kRtl)
    throw UsageError("--wave", "", "",
                     StrCat("looks into the engine ", kRtl, ", not ", options.name));
  if ((options.lockstep || trace) && options.name != kRtl && options.name != kCycle)
    throw UsageError(options.lockstep ? "--lockstep" : "--trace", "", "",
                     StrCat("is for the engines ", kCycle, " and ", kRtl, ", not ", options.name));
  if (!options.what_if.empty() && (options.name != kCycle || options.lockstep))
    throw UsageError("--what-if", "", "",
                     StrCat("is for the engine ", kCycle, " alone, not ", options.name,
                            options.lockstep ? " in lockstep" : ""));
  const int64_t from = options.wave_from.value_or(0);
  if (options.wave_to && from >= *options.wave_to)
    throw UsageError("--wave-to", "", std::to_string(*options.wave_to),
                     StrCat("must be after --wave-from, ", from));
  if (!options.trace.empty()) options.timeline = &timeline_;
  if (options.wave.empty()) return;
  const std::string target = LinkTarget(options.wave);
  if (fs::exists(target) && !fs::is_regular_file(target))
    throw Error("--wave", "", options.wave, "must be a regular file: FST is not written in order");
  options.growing_wave = StrCat(target, ".", getpid(), ".tmp");
  wave_.emplace(options.growing_wave);
  names_.emplace(options.growing_wave + ".hier");
}

Observation::~Observation() {
  std::error_code ignored;  // no whole wave: Finish says why
  if (!options_.growing_wave.empty() && sim::IsWholeWave(options_.growing_wave))
    fs::rename(options_.growing_wave, LinkTarget(options_.wave), ignored);
}

void Observation::Record(const std::string& option) {
  if (options_.names().size() > 1)
    throw UsageError(option, "", "", StrCat("looks into one engine, not into ", options_.name));
  options_.timeline = &timeline_;
}

void Observation::Finish(const isa::Config& config,
                         std::span<const sim::NamedSlice> launches) const {
  if (!options_.growing_wave.empty() && !fs::exists(options_.growing_wave))
    throw Error("--wave-from", "", std::to_string(options_.wave_from.value_or(0)),
                "the run ended before that cycle: there is no wave");
  if (!options_.growing_wave.empty() && !sim::IsWholeWave(options_.growing_wave))
    throw Error(options_.wave, "cannot write", "",
                "the wave is not whole; is the disk full, or a limit of file sizes in the way?");
  if (options_.trace.empty()) return;
  const std::optional<ClockEstimate> estimate = EstimateOf(config);
  const sim::PerfettoTrace trace =
      sim::PerfettoJson(timeline_, isa::Layout(config), launches,
                        estimate ? ClockNote(*estimate) : "", 1'000'000 * options_.trace_mb);
  WriteFileAtomically(options_.trace, trace.json);
  if (trace.cut_cycle)
    Log(LogLevel::kWarning, StrCat(options_.trace, ": cut at cycle ", *trace.cut_cycle,
                                   ": it would be larger than --trace-mb ", options_.trace_mb));
}

namespace {

std::shared_ptr<driver::remote::HeldDevice> NewHold(const EngineOptions& options) {
  using namespace driver::remote;
  std::shared_ptr<Client> client =
      Connect(ParseAddress(options.name, "--engine"), ReadCredentials(options.credentials),
              StrCat("vta ", Version()));
  if (options.progress) options.progress->At(StrCat("waiting for ", options.name));
  auto held = std::make_shared<HeldDevice>(
      std::move(client),
      LeaseOptions{.priority = options.priority, .wait_s = options.wait_s, .holder = ThisHolder()},
      [](const std::string& text) { Log(LogLevel::kWarning, text); });
  if (options.progress) options.progress->At("");
  return held;
}

}  // namespace

std::shared_ptr<driver::remote::HeldDevice> HoldDevice(const EngineOptions& options) {
  if (auto held = options.held->lock()) return held;
  auto held = NewHold(options);
  *options.held = held;
  return held;
}

std::unique_ptr<driver::Device> OpenEngine(const EngineOptions& options, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes) {
  if (options.IsRemote())
    return std::make_unique<driver::remote::RemoteDevice>(NewHold(options), config,
                                                          memory_bytes.value_or(0));
  const int64_t memory =
      memory_bytes ? driver::MemoryFor(*memory_bytes) : driver::kSimulatedMemoryBytes;
  for (const Engine& engine : kEngines)
    if (engine.name == options.name) {
      std::unique_ptr<driver::Device> device = engine.open(options, config, memory);
      if (options.progress) options.progress->At("");
      return device;
    }
  return driver::OpenBoard(options.name, config);
}

}  // namespace vta::tools
