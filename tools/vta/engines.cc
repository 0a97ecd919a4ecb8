#include "tools/vta/engines.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "driver/functional/functional_device.h"
#include "driver/lockstep/lockstep_device.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/trace/perfetto.h"
#include "tools/vta/options.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kRtl[] = "rtl";

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

std::unique_ptr<driver::Device> OpenRtl(const EngineOptions& options, const isa::Config& config,
                                        int64_t memory_bytes) {
  sim::RtlOptions rtl;
  rtl.timeline = options.timeline;
  rtl.wave_path = options.growing_wave;
  rtl.wave_begin = options.wave_from.value_or(rtl.wave_begin);
  rtl.wave_end = options.wave_to.value_or(rtl.wave_end);
  if (!options.lockstep) return std::make_unique<driver::RtlDevice>(config, memory_bytes, rtl);
  return std::make_unique<driver::LockstepDevice>(config, memory_bytes, rtl);
}

constexpr Engine kEngines[] = {
    {"functional", OpenFunctional},
    {kRtl, OpenRtl},
};

CLI::Validator Cycle() { return NumberFrom(0, 1e18, "must be a cycle, 0 to 1e18"); }

}  // namespace

std::string EngineNames() {
  std::string names;
  for (const Engine& engine : kEngines) names += StrCat(names.empty() ? "" : ", ", engine.name);
  return names;
}

namespace {

// What a usage error says of a name that is none.
std::string RefuseUnknown(std::string& name) {
  for (const Engine& engine : kEngines)
    if (engine.name == name) return "";
  return StrCat(name, " must be one of ", EngineNames());
}

}  // namespace

void EngineOptions::AddNameTo(CLI::App& app) {
  name_option_ = app.add_option("--engine", name, StrCat("one of ", EngineNames()))
                     ->check(CLI::Validator(RefuseUnknown, ""))
                     ->capture_default_str();
}

void EngineOptions::AddTo(CLI::App& app) {
  AddNameTo(app);
  app.add_flag("--lockstep", lockstep,
               "compare each instruction of the RTL with the golden model, stop at a difference");
  CLI::Option* file = app.add_option("--wave", wave, "write the RTL's signals there as FST");
  app.add_option("--wave-from", wave_from, "first cycle in it, counted from power-on")
      ->check(Cycle())
      ->needs(file);
  app.add_option("--wave-to", wave_to, "cycle before which it ends")->check(Cycle())->needs(file);
  app.add_option("--trace", trace, "write there what each module did when, for ui.perfetto.dev");
}

std::vector<std::string> EngineOptions::Outputs() const {
  std::vector<std::string> files;
  for (const std::string& file : {wave, trace})
    if (!file.empty()) files.push_back(file);
  return files;
}

Observation::Observation(EngineOptions& options) : options_(options) {
  const std::string looks = options.lockstep         ? "--lockstep"
                            : !options.wave.empty()  ? "--wave"
                            : !options.trace.empty() ? "--trace"
                                                     : "";
  if (!looks.empty() && options.name_option_->count() == 0) options.name = kRtl;
  if (!looks.empty() && options.name != kRtl)
    throw Error(looks, "", "", StrCat("looks into the engine ", kRtl, ", not ", options.name));
  const int64_t from = options.wave_from.value_or(0);
  if (options.wave_to && from >= *options.wave_to)
    throw Error("--wave-to", "", std::to_string(*options.wave_to),
                StrCat("must be after --wave-from, ", from));
  if (!options.trace.empty()) options.timeline = &timeline_;
  if (options.wave.empty()) return;
  const fs::path target = fs::weakly_canonical(options.wave);
  if (fs::exists(target) && !fs::is_regular_file(target))
    throw Error("--wave", "", options.wave, "must be a regular file: FST is not written in order");
  options.growing_wave = StrCat(target.string(), ".", getpid(), ".tmp");
}

Observation::~Observation() {
  std::error_code ignored;  // no wave where the run ended before it, which Finish says
  if (!options_.growing_wave.empty())
    fs::rename(options_.growing_wave, fs::weakly_canonical(options_.wave, ignored), ignored);
}

void Observation::Finish(const isa::Config& config,
                         std::span<const std::string> launch_names) const {
  if (!options_.growing_wave.empty() && !fs::exists(options_.growing_wave))
    throw Error("--wave-from", "", std::to_string(options_.wave_from.value_or(0)),
                "the run ended before that cycle: there is no wave");
  if (options_.timeline)
    WriteFileAtomically(options_.trace,
                        sim::PerfettoJson(timeline_, isa::Layout(config), launch_names));
}

std::unique_ptr<driver::Device> OpenEngine(const EngineOptions& options, const isa::Config& config,
                                           std::optional<int64_t> memory_bytes) {
  const int64_t memory =
      memory_bytes ? driver::MemoryFor(*memory_bytes) : driver::kSimulatedMemoryBytes;
  for (const Engine& engine : kEngines)
    if (engine.name == options.name) return engine.open(options, config, memory);
  throw Error("--engine", "", options.name, StrCat("must be one of ", EngineNames()));
}

}  // namespace vta::tools
