#include "tools/vta/common/session.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "compiler/compile.h"
#include "compiler/lower/cpu.h"
#include "compiler/native_code.h"
#include "compiler/targets/cpu/target.h"
#include "compiler/targets/gpu/target.h"
#include "compiler/targets/vta/target.h"
#include "compiler/tune/tuner.h"
#include "isa/package_set.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "runtime/thread_pool.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/vta/common/assume.h"
#include "tools/vta/common/command_line.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/trials/cycle_measurer.h"
#include "tools/vta/common/trials/gpu_trial.h"
#include "tools/vta/common/trials/native_cpu.h"
#include "tools/vta/common/trials/native_measurer.h"

namespace vta::tools {
namespace {

constexpr char kTargetOption[] = "--target", kReading[] = "Reading the model";
constexpr int64_t kMostEffort = 1'000'000, kMostJobs = 1024;

std::optional<isa::Rounding> RoundingOf(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return name == "double" ? isa::Rounding::kDouble : isa::Rounding::kSingle;
}

/// Of the GPU's products.
isa::Precision PrecisionOf(const ModelOptions& options, const isa::GpuRow& gpu) {
  const isa::Precision precision = *isa::FindPrecision(options.precision);
  if (precision != isa::Precision::kFp32 && gpu.format != isa::kPtxFormat)
    throw UsageError("--precision", "", options.precision,
                     StrCat("is of NVIDIA's tensor cores, and --target ", gpu.name, " has fp32"));
  return precision;
}

std::vector<std::string> CpuNames() {
  std::vector<std::string> names = {kNativeCpu};
  for (const isa::CpuRow& row : isa::kCpus) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> TargetNames() {
  std::vector<std::string> names = {"vta"};
  for (const isa::GpuRow& row : isa::kGpus) names.emplace_back(row.name);
  names.push_back("cpu");
  return names;
}

/// What a list of them has to keep to besides.
CLI::Validator TargetOrder() {
  return CLI::Validator(
      [](std::string& text) {
        const std::vector<std::string> names = SplitList(text);
        if (std::ranges::count(names, "vta") > 0 && names[0] != "vta")
          return StrCat(text, " must begin with vta: ", names[0],
                        " takes any operator, and leaves nothing for it");
        const auto gpus = std::ranges::count_if(names, [](const std::string& name) {
          return std::ranges::count(isa::kGpus, name, &isa::GpuRow::name) > 0;
        });
        return gpus > 1 ? StrCat(text, " must have at most one kind of GPU") : std::string();
      },
      "");
}

// Of "NODE=TARGET,...". A NODE may have commas: what has no TARGET goes on behind the next one.
std::map<std::string, std::string> Places(const std::string& text) {
  std::map<std::string, std::string> places;
  std::string before;  // words of a name
  for (const std::string& word : text.empty() ? std::vector<std::string>() : SplitList(text)) {
    const std::string place = before + word;
    const size_t equals = place.rfind('=');
    before = place + ",";
    if (equals == std::string::npos) continue;
    if (equals == 0 || equals + 1 == place.size())
      throw UsageError("--place", "", place, "must be NODE=TARGET");
    if (!places.emplace(place.substr(0, equals), place.substr(equals + 1)).second)
      throw UsageError("--place", "", place, "gives a node a second target");
    before.clear();
  }
  if (!before.empty())
    throw UsageError("--place", "", before.substr(0, before.size() - 1), "must be NODE=TARGET");
  return places;
}

// Of NODE=FILE each.
std::map<std::string, compiler::ScheduleTrace> TracesOf(const std::vector<std::string>& options) {
  std::map<std::string, compiler::ScheduleTrace> traces;
  for (const std::string& option : options) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      throw UsageError("--schedule", "", option, "must be NODE=FILE");
    const std::string file = option.substr(equals + 1);
    if (!traces.emplace(option.substr(0, equals), compiler::ScheduleTrace{ReadTextFile(file), file})
             .second)
      throw UsageError("--schedule", "", option, "gives a node a second trace");
  }
  return traces;
}

// Says what is done, and which part of how many it is.
void Say(const ModelOptions& options, const std::string& what, int64_t number = 0,
         int64_t total = 0) {
  if (!options.progress) return;
  options.progress->Count(number, total);
  options.progress->At(what);
}

void RequireMemory(const isa::Package& package, const ModelOptions& options) {
  if (options.memory_limit_bytes)
    runtime::RequireMemory(package, options.model, std::max<int64_t>(options.threads, 1),
                           *options.memory_limit_bytes);
}

/// Nothing where the cycle model does not know the config: then estimates choose.
std::unique_ptr<CycleMeasurer> MeasurerOf(const isa::Config& config) {
  try {
    return std::make_unique<CycleMeasurer>(config);
  } catch (const Error& error) {
    Log(LogLevel::kInfo, StrCat("schedules are chosen by estimates: ", error.what()));
    return nullptr;
  }
}

std::vector<compiler::tune::LogEntry> LogOf(const TuneOptions& options) {
  if (options.log.empty()) return {};
  compiler::tune::LogLines lines = compiler::tune::ReadLog(options.log);
  for (const std::string& line : lines.left_out)
    Log(LogLevel::kWarning, StrCat("left out: ", line));
  return std::move(lines.entries);
}

/// Kernels: with what they took on one machine alone. That is this one, or else the last of its
/// kind, or else the last, of those that the log has.
std::vector<compiler::tune::LogEntry> OfOneMachine(std::vector<compiler::tune::LogEntry> log) {
  using compiler::tune::LogEntry;
  using compiler::tune::MeasuredOn;
  if (log.empty()) return log;
  const MeasuredOn here{NativeMeasurer::HashOfMachine(), ""};
  std::map<std::string, MeasuredOn> machines;
  for (const LogEntry& entry : log) {
    if (entry.key.target != "cpu" || entry.measured_on != here.hash) continue;
    MeasuredOn& own = machines["cpu"];
    if (own != here) own = MeasuredOnOf(entry);
  }
  for (const char* target : {"cpu", "cuda", "opencl"})
    if (const auto last = LastMeasuredOn(log, target)) machines.try_emplace(target, *last);
  std::erase_if(log, [&](const LogEntry& entry) {
    const auto machine = machines.find(entry.key.target);
    return machine != machines.end() && MeasuredOnOf(entry) != machine->second;
  });
  return log;
}

/// Of a file's packages whose targets --target has all the one with the first of these that any
/// has, or the first package where it is not given. `said`: of several, which they are. Errors:
/// throws UsageError where there is one, which is compiled already, and Error where none is for
/// those targets.
size_t Choose(const ModelOptions& options, std::span<const isa::Package> packages,
              std::string* said) {
  const bool asked = std::ranges::any_of(options.compile_options, [](const CLI::Option* option) {
    return option->get_name() == kTargetOption && option->count() > 0;
  });
  if (packages.size() == 1) {
    if (asked) RefuseCompileOptions(options);
    return 0;
  }
  const std::vector<std::string> wanted = SplitList(options.targets);
  std::optional<size_t> chosen;
  std::ptrdiff_t best = std::ssize(wanted);  // place in the list
  std::vector<std::string> names;
  std::string all;
  for (size_t i = 0; i < packages.size(); ++i) {
    std::string& name = names.emplace_back();
    std::ptrdiff_t first = std::ssize(wanted), last = 0;
    for (const std::string& target : isa::TargetsOf(packages[i])) {
      name += StrCat(name.empty() ? "" : ",", target);
      const auto place = std::ranges::find(wanted, target) - wanted.begin();
      first = std::min(first, place), last = std::max(last, place);
    }
    all += StrCat(i > 0 ? "; " : "", name);
    if (asked ? last < std::ssize(wanted) && first < best : i == 0) chosen = i, best = first;
  }
  if (!chosen)
    throw Error(options.model, "targets", all,
                StrCat("none of its packages is for --target ", options.targets));
  *said = StrCat("packages for ", all, "; this run is of that for ", names[*chosen]);
  return *chosen;
}

}  // namespace

int64_t JobsOf(const TuneOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

bool IsPackage(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".vta") return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 16> head = {};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return isa::IsPackage({reinterpret_cast<const uint8_t*>(head.data()), head.size()});
}

void RefuseCompileOptions(const ModelOptions& options, bool chooses) {
  for (const CLI::Option* option : options.compile_options)
    if (option->count() > 0 && (!chooses || option->get_name() != kTargetOption))
      throw UsageError(options.model, option->get_name(), option->as<std::string>(),
                       "is for a model; a package is compiled already");
}

std::string_view Name(isa::Rounding rounding) {
  return rounding == isa::Rounding::kDouble ? "double" : "single";
}

void ModelOptions::AddThreadsTo(CLI::App& app) {
  app.add_option("--threads", threads,
                 "that kernels of the CPU are to be run by, and are cut for; without it some")
      ->check(IntegerFrom(1, runtime::ThreadPool::kMaxThreads));
}

void ModelOptions::AddTo(CLI::App& app) {
  command = &app;
  ReadsFile(
      app.add_option("MODEL", model,
                     "an ONNX or TensorFlow Lite model, a workload of shapes (--assume), or a "
                     "package (*.vta)"))
      ->required();
  app.option_defaults()->group("Compiling");
  compile_options = {
      ReadsConfig(
          app.add_option("-c,--config", config, "accelerator variant: a shipped name or a file"))
          ->capture_default_str(),
      app.add_option("--rounding", rounding,
                     "rounding of requantisation: single or double, as the kernels that made the "
                     "model's expected outputs; where it is not given, double for TensorFlow Lite "
                     "models and single for others")
          ->check(OneOf({"single", "double"})),
      app.add_option(kTargetOption, targets,
                     "in order of preference; each takes what those before it cannot: vta, the "
                     "accelerator; cuda, a GPU of NVIDIA's, or opencl, a device of OpenCL's; cpu")
          ->check(SomeOf(OneOf(TargetNames()), "a target"))
          ->check(TargetOrder())
          ->capture_default_str(),
      app.add_option(
             "--precision", precision,
             "numbers that a GPU's convolutions multiply: fp32; or tf32, of 11 bits, or fp16, "
             "on tensor cores; sums are of float32, with "
             "fp16 tensors between convolutions of 16 bits")
          ->check(OneOf({std::begin(isa::kPrecisions), std::end(isa::kPrecisions)}))
          ->capture_default_str(),
      app.add_option("--place", places,
                     "nodes and the targets that they go to, NODE=TARGET[,...], by the names that "
                     "a run's table and --dump-dir have")
          ->type_name("PLACES"),
      app.add_option("--cpu", cpus,
                     StrCat("CPUs that kernels are made for, with commas between them: ",
                            Listed(CpuNames())))
          ->check(SomeOf(OneOf(CpuNames()), "a CPU"))
          ->capture_default_str(),
      app.add_flag("--exact", exact,
                   "float32 on the CPU is summed up in order: no Winograd, which is quicker and "
                   "within 1e-4 of the largest result"),
      AddDimTo(app, &dims)->group(kReading),
      AddAssumeTo(app, &assume)->group(kReading),
      WritesFolder(
          app.add_option("--dump-dir", dump_dir, "write the text of each compiler stage there")),
  };
  app.option_defaults()->group("Choosing schedules");
  compile_options.insert(
      compile_options.end(),
      {app.add_option("--effort", tune.effort,
                      "schedules of a layer that the cycle model costs before one is taken; 0: the "
                      "one that is estimated to be the best")
           ->check(IntegerFrom(0, kMostEffort))
           ->capture_default_str(),
       ReadsFile(app.add_option("--log", tune.log, "take what vta tune found, where it is better")),
       app.add_option("--jobs", tune.jobs, "schedules that are costed at once; all processors")
           ->check(IntegerFrom(1, kMostJobs))});
  CLI::Option* schedule =
      app.add_option("--schedule", schedules,
                     "a layer and the file with its schedule's steps, as --dump-dir writes them")
          ->allow_extra_args(false)
          ->type_name("NODE=FILE");
  compile_options.push_back(schedule);
  compile_options.push_back(
      app.add_flag("--schedule-fallback", schedule_fallback,
                   "where such a schedule does not apply, say so and choose one")
          ->needs(schedule));
  app.option_defaults()->group("Compiling");
  app.add_option("--memory-limit", memory_limit_bytes,
                 "refuse what needs more memory to run: bytes, or with K, M or G behind them")
      ->transform(Bytes())
      ->type_name("BYTES");
}

OpenedModel OpenModel(const ModelOptions& options) {
  if (!options.graph && IsPackage(options.model)) {
    RefuseCompileOptions(options, true);
    Say(options, "reading the package");
    OpenedModel opened;
    opened.package = options.native.Read(
        options.model, &opened.kernels,
        [&](std::span<const isa::Package> all) { return Choose(options, all, &opened.chosen); });
    RequireMemory(opened.package, options);
    return opened;
  }
  const runtime::KernelOptions kernels = options.native.ForCompiled();
  if (!options.dump_dir.empty()) CheckFolder(options.dump_dir);
  const auto start = std::chrono::steady_clock::now();
  compiler::CompileOptions compile;
  const std::vector<std::string> names = SplitList(options.targets);
  const bool accelerated = std::ranges::count(names, "vta") > 0;
  if (accelerated)
    compile.config = options.own_config ? *options.own_config : FindConfig(options.config);
  else if (!options.compile_options.empty() && options.compile_options[0]->count() > 0)
    throw UsageError("--config", "", options.config,
                     StrCat("is of an accelerator, and --target ", options.targets, " has none"));
  if (*isa::FindPrecision(options.precision) != isa::Precision::kFp32 &&
      std::ranges::none_of(names, isa::FindGpu))
    throw UsageError("--precision", "", options.precision,
                     StrCat("is of a GPU's products, and --target ", options.targets, " has none"));
  compile.rounding = RoundingOf(options.rounding);
  compile.dump_dir = options.dump_dir;
  compile.places = Places(options.places);
  compile.traces = TracesOf(options.schedules);
  if (options.schedule_fallback)
    compile.on_unusable_trace = [](const std::string& why) { Log(LogLevel::kWarning, why); };
  Say(options, "importing the model");
  const auto [graph, assumed] =
      options.graph
          ? ImportedModel{*options.graph, std::nullopt}
          : ImportAssuming(
                options.model,
                {.dimensions = Dimensions(options.dims),
                 .command = options.command ? CommandLine(*options.command) : "",
                 .on_remark = [](const std::string& text) { Log(LogLevel::kInfo, text); }},
                options.assume, compile.config);
  std::vector<std::unique_ptr<compiler::CodeTarget>> owned;
  std::vector<const compiler::CodeTarget*> targets;
  std::vector<compiler::lower::CpuSpec> cpus, specs;  // the latter with those of a GPU
  if (options.own_cpu)
    cpus.push_back(*options.own_cpu);
  else if (!options.cpus.empty())
    for (const std::string& name : SplitList(options.cpus))
      cpus.push_back(name == kNativeCpu ? NativeCpu() : compiler::lower::FindCpu(name));
  // What kernels take is measured by a search alone.
  std::map<std::string, uint64_t> kernel_archs;  // of those that findings are of, by targets
  for (const std::string& name : names) {
    const auto gpu = std::ranges::find(isa::kGpus, name, &isa::GpuRow::name);
    if (name == "vta") {
      owned.push_back(
          std::make_unique<compiler::targets::VtaTarget>(*compile.config, options.hiding));
    } else if (gpu != std::end(isa::kGpus)) {
      const isa::Precision precision = PrecisionOf(options, *gpu);
      owned.push_back(std::make_unique<compiler::targets::GpuTarget>(*gpu, precision));
      specs = GpuSpecs(*gpu, precision);
      kernel_archs[name] = HashOf(GpuSpecs(*gpu).back());
    } else {
      owned.push_back(std::make_unique<compiler::targets::CpuTarget>(
          cpus,
          options.exact ? compiler::targets::Arithmetic::kExact
                        : compiler::targets::Arithmetic::kFast,
          options.threads > 0 ? options.threads : compiler::targets::kSomeThreads));
      kernel_archs[name] = cpus.size() == 1 ? HashOf(cpus[0]) : 0;
    }
    targets.push_back(owned.back().get());
  }
  specs.insert(specs.end(), cpus.begin(), cpus.end());
  compile.cpus = specs;
  compile.targets = targets;
  compile.build_module = compiler::BuildModule;
  // What a log has is costed in any case.
  const int64_t trials = std::max<int64_t>(options.tune.effort, options.tune.log.empty() ? 0 : 1);
  std::unique_ptr<CycleMeasurer> measurer;
  if (accelerated && trials > 0) measurer = MeasurerOf(*compile.config);
  const std::vector<compiler::tune::LogEntry> log = OfOneMachine(LogOf(options.tune));
  compiler::tune::Tuner tuner({.measurer = measurer.get(),
                               .trials = trials,
                               .jobs = JobsOf(options.tune),
                               .target = "vta",
                               .arch = accelerated ? isa::ArchHash(*compile.config) : 0,
                               .log = log});
  std::map<std::string, compiler::tune::Tuner> kernel_tuners;
  for (const auto& [target, arch] : kernel_archs)
    kernel_tuners.try_emplace(
        target, compiler::tune::TunerOptions{.target = target, .arch = arch, .log = log});
  compile.choosers = options.choosers;
  if (compile.choosers.empty()) {
    if (accelerated) compile.choosers["vta"] = &tuner;
    if (!log.empty())
      for (auto& [target, own] : kernel_tuners) compile.choosers[target] = &own;
  }
  compile.on_phase = [&](const std::string& what, int64_t number, int64_t total) {
    Say(options, what, number, total);
  };
  OpenedModel opened;
  opened.kernels = kernels;
  opened.rounding = compile.rounding.value_or(graph.rounding());
  try {
    opened.package = compiler::Compile(graph, compile).package;
    opened.package.assumed = assumed;
  } catch (const Error& error) {
    throw error.In(options.model);
  }
  Say(options, "");
  int64_t met = 0;
  const auto count = [&met](const compiler::tune::Tuner& one) {
    for (const compiler::tune::Task& task : one.tasks()) met += task.logged;
  };
  count(tuner);
  for (const auto& [target, own] : kernel_tuners) count(own);
  if (met == 0 && !options.tune.log.empty())
    Log(LogLevel::kWarning,
        StrCat(options.tune.log, ": has nothing of this model's layers on these targets"));
  RequireMemory(opened.package, options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  opened.compile_s = took.count();
  return opened;
}

std::shared_ptr<const runtime::Model> LoadModel(isa::Package package, const std::string& file,
                                                Progress* progress,
                                                const runtime::ModelOptions& options) {
  if (progress) progress->At("proving the programs");
  return std::make_shared<runtime::Model>(std::move(package), file, options);
}

}  // namespace vta::tools
