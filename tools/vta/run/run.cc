// vta run MODEL|P.vta --engine E [--input F] [--output F] [--reference F] ...
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <new>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "sim/build/once.h"
#include "tools/report/page.h"
#include "tools/report/page_timeline.h"
#include "tools/report/report.h"
#include "tools/report/table.h"
#include "tools/shared/answer.h"
#include "tools/shared/inferences.h"
#include "tools/shared/log.h"
#include "tools/shared/sample_options.h"
#include "tools/shared/samples.h"
#include "tools/shared/states.h"
#include "tools/shared/usage.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/served_model.h"
#include "tools/vta/common/tensor_file.h"
#include "tools/vta/run/engine_group.h"
#include "tools/vta/run/run_trials.h"
#include "tools/vta/run/slow_steps.h"
#include "tools/vta/run/what_if.h"

namespace vta::tools {
namespace {

struct RunOptions {
  ModelOptions model;
  EngineOptions engine;
  std::vector<std::string> inputs, outputs, references, states;
  Encoding encoding;
  std::string labels, class_names, report, html, energy;
  std::optional<std::string> timer;
  double tolerance = 0;
  double limit_s = 0;
  int64_t repeat = 1;
  std::optional<int64_t> in_flight;
  uint64_t seed = 1;
  bool wide = false, bisect = false, self_test = false;

  runtime::Session::Deadline Deadline() const {
    if (limit_s == 0) return runtime::Session::Deadline::max();
    return std::chrono::steady_clock::now() +
           std::chrono::nanoseconds(static_cast<int64_t>(limit_s * 1e9));
  }
};

constexpr double kLargestScale = std::numeric_limits<double>::max();
constexpr int64_t kMostRepeats = 1'000'000'000;

const isa::PackageTensor& TensorOf(const isa::Package& package, const std::vector<int64_t>& list,
                                   size_t i) {
  return package.tensors[list[i]];
}

// Everything that the files of the command line hold, read before anything runs.
struct Files {
  States states;
  Inferences inputs, expected;
  std::vector<int64_t> labels;
  std::vector<std::string> pictures, class_names;
};

Files LoadFiles(const RunOptions& options, const isa::Package& package) {
  RequireOneEach("--reference", options.references, package.outputs);
  RequireOneEach("--output", options.outputs, package.outputs);
  if (!options.labels.empty() && package.outputs.empty())
    throw UsageError("--labels", "", options.labels, "the model has no outputs");
  if (!options.labels.empty() && package.assumed)
    throw UsageError("--labels", "", options.labels,
                     StrCat("there is no accuracy: ", TextOf(*package.assumed)));
  Files files;
  if (!options.class_names.empty())
    files.class_names = LoadClassNames(options.class_names, package);
  files.states = States(package, options.states);
  Inputs inputs = files.states.ReadInputs(package, options.inputs, options.encoding, options.seed,
                                          ParseSampleFile);
  files.inputs = std::move(inputs.samples);
  files.pictures = std::move(inputs.pictures);
  if (!options.references.empty()) {
    files.expected =
        ReadInferences(package, package.outputs, options.references, {}, ParseSampleFile);
    if (files.expected.size() != files.inputs.size())
      throw Error(options.references[0], "samples", std::to_string(files.expected.size()),
                  StrCat("the run has ", files.inputs.size()));
  }
  if (!package.outputs.empty()) {
    const int64_t batch = BatchOf(package);
    files.labels = LabelsOf(inputs, options.labels, std::ssize(files.inputs) * batch,
                            TensorOf(package, package.outputs, 0).elements() / batch);
  }
  return files;
}

// Prints how outputs compare with expected ones; false where they differ by more than the
// tolerance.
bool CompareWith(const RunOptions& options, const isa::Package& package, const Inferences& expected,
                 const Inferences& outputs) {
  bool good = true;
  for (size_t t = 0; t < package.outputs.size(); ++t) {
    const isa::PackageTensor& tensor = TensorOf(package, package.outputs, t);
    Difference all;
    int64_t bad_samples = 0;
    for (size_t s = 0; s < outputs.size(); ++s) {
      const Difference d = Compare(outputs[s][t], expected[s][t], tensor.type);
      bad_samples += d.differing > 0 && !(d.largest <= options.tolerance);
      all.elements += d.elements;
      all.differing += d.differing;
      if (!(d.largest <= all.largest)) all.largest = d.largest;
    }
    fmt::print("output {}: {} of {} {} from {}, largest difference {:g}; {} of {} {}\n",
               Visible(tensor.name), WithCommas(all.differing),
               CountedWithCommas(all.elements, "value"),
               VerbOf(all.differing, all.elements, "differ"), Visible(options.references[t]),
               all.largest, outputs.size() - bad_samples, Counted(std::ssize(outputs), "sample"),
               options.tolerance > 0 ? "within tolerance" : "equal");
    good &= bad_samples == 0;
  }
  return good;
}

void PrintAccuracy(const std::vector<int64_t>& labels, const isa::Package& package,
                   const Inferences& outputs) {
  const size_t batch = BatchOf(package);
  int64_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::span<const uint8_t> run = outputs[i / batch][0];
    const size_t bytes = run.size() / batch;
    right += ArgMax(run.subspan(i % batch * bytes, bytes),
                    TensorOf(package, package.outputs, 0).type) == labels[i];
  }
  fmt::print("accuracy: {:.2f} % ({} of {})\n", 100.0 * right / labels.size(), right,
             labels.size());
}

// "default", "a GPU and the CPU"; beside an accelerator the CPU goes without saying.
std::string RunnersOf(const isa::Package& package) {
  std::string names = package.config ? package.config->name : "";
  for (const isa::PackageModule& module : package.modules) {
    if (!module.Gpu()) continue;
    names += StrCat(names.empty() ? "" : " and ", "a GPU");
    if (module.precision != isa::Precision::kFp32)
      names += StrCat(" in ", isa::NameOf(module.precision));
    break;
  }
  const bool has_cpu = std::ranges::any_of(package.modules, [](const auto& m) { return !m.Gpu(); });
  if (names.empty() || (!package.config && has_cpu))
    names += StrCat(names.empty() ? "" : " and ", "the CPU");
  return names;
}

void PrintCompiled(const RunOptions& options, const OpenedModel& opened) {
  fmt::print(
      "compiled {} for {} in {:.2f} s, {}, {} rounding\n", Visible(options.model.model),
      RunnersOf(opened.package), opened.compile_s,
      CountedWithCommas(std::ssize(opened.package.code) / isa::kInstructionBytes, "instruction"),
      Name(opened.rounding));
}

// The layers of all runs that a timeline holds.
std::vector<sim::NamedSlice> NamedLayers(const RunReport& report, const sim::Timeline& timeline) {
  std::vector<sim::NamedSlice> layers;
  std::span<const sim::Slice> left = timeline.launches;
  const auto launches = static_cast<size_t>(report.launches);
  for (; launches > 0 && left.size() >= launches; left = left.subspan(launches))
    for (const LayerSlice& slice : LayerSlices(report, left.first(launches)))
      layers.push_back({slice, report.layers[static_cast<size_t>(slice.layer)].name});
  return layers;
}

isa::Counters Total(const runtime::RunProfile& profile) {
  isa::Counters total;
  for (const runtime::StepProfile& step : profile.steps) total += step.counters;
  return total;
}

// Of a package for the CPU alone. The time for the run has no say in it.
void FindSlowSteps(const isa::Package& package, const std::vector<std::vector<uint8_t>>& inputs,
                   EngineGroup& session, RunReport* report) {
  session.StopAt(runtime::Session::Deadline::max());
  const int64_t most = std::min(session.memory().threads, std::ssize(AllowedCores()));
  const auto cores = [&](const LayerReport& layer) {
    return std::min(most, package.kernels[package.steps[layer.step].kernel].tasks);
  };
  try {
    MarkSlowSteps(
        BoundsOfThisCpu(sim::CacheFolder()), cores,
        [&](runtime::RunProfile* profile) { session.Run(inputs, profile); }, report);
  } catch (const std::bad_alloc&) {
    Log(LogLevel::kInfo, "there is no memory to measure what this CPU can do");
  }
}

int Run(RunOptions& options) {
  TakeFromServer(options.engine, &options.model);
  if (options.self_test) return SelfTest(options.model, options.engine, options.Deadline());
  if (options.model.model.empty()) throw UsageError("", "", "", "MODEL is required");
  const std::optional<runtime::TimerOptions> timer = ParseTimer(options.timer);
  Observation observation(options.engine);
  for (const auto& [option, given] : {std::pair{"--bisect", options.bisect},
                                      {"--time", timer.has_value()},
                                      {"--in-flight", options.in_flight.has_value()}})
    if (given) RequireOneEngine(options.engine, option);
  if (!options.html.empty()) observation.Record("--html");
  Progress progress(StrCat("run ", options.model.model));
  options.engine.progress = &progress;
  options.model.progress = &progress;
  options.model.threads =
      options.engine.threads > 0 ? options.engine.threads : runtime::AvailableCpus();
  OpenedModel opened = OpenModel(options.model);
  options.engine.kernels = opened.kernels;
  progress.Hide();
  if (!opened.package.config) {
    options.engine.RefuseAll();
    if (!options.html.empty())
      throw UsageError("--html", "", "", "is of an accelerator, and the package has none");
    if (!options.energy.empty())
      throw UsageError("--energy", "", "", "is of an accelerator, and the package has none");
  }
  if (opened.package.Gpu())
    for (const auto& [option, given] :
         {std::pair{"--bisect", options.bisect}, {"--in-flight", options.in_flight.has_value()}})
      if (given) throw UsageError(option, "", "", "is for packages without steps for a GPU");
  Questions questions;
  if (!options.engine.what_if.empty())
    questions = ParseWhatIf(options.engine.what_if, *opened.package.config);
  options.engine.what_if_runs = questions.runs;
  std::optional<EnergyModel> energy;
  if (opened.package.config) energy = FindEnergyModel(options.energy, *opened.package.config);
  Files files = LoadFiles(options, opened.package);
  if (opened.compile_s > 0) PrintCompiled(options, opened);
  if (!opened.chosen.empty()) fmt::print("{}: {}\n", Visible(options.model.model), opened.chosen);
  runtime::ModelOptions load = options.model.native.ForModel();
  load.elsewhere = options.engine.IsRemote() && !options.bisect;
  const auto model = LoadModel(std::move(opened.package), options.model.model, &progress, load);
  if (options.bisect) return BisectRun(model, options.engine, files.inputs, options.Deadline());
  const isa::Package& package = model->package();
  auto session = std::make_unique<EngineGroup>(model, options.engine);
  const auto estimate = EstimateFor(package, session->device());
  const bool has_time = session->device() && session->device()->timing_hash;
  if (!options.energy.empty() && !has_time)
    throw UsageError("--energy", "", options.energy, "is of an engine that counts cycles");
  runtime::RunProfile profile;
  Inferences outputs;
  const auto start = std::chrono::steady_clock::now();
  const runtime::Session::Deadline deadline = options.Deadline();
  session->StopAt(deadline);
  const auto samples = static_cast<int64_t>(files.inputs.size()), all = samples * options.repeat;
  for (int64_t i = 0; i < all; ++i) {
    if (i % samples == 0) outputs.clear();
    progress.Count(i + 1, all);
    observation.NextRun();
    for (driver::WhatIf& what_if : questions.runs) what_if.cycles = 0;  // as the profile
    if (!outputs.empty()) files.states.Carry(outputs.back(), files.inputs[i % samples]);
    outputs.push_back(session->Run(files.inputs[i % samples], &profile));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  RunReport report = MakeReport(package, profile, session->memory(), session->device(), estimate,
                                options.in_flight.value_or(runtime::kUsuallyInFlight));
  report.load = session->first().load();
  if (has_time) AddEnergy(package, *energy, report);
  report.between_launches = CyclesBetweenLaunches(report, observation.timeline());
  bool equal = session->equal();
  // Of simulations wall time says nothing; a server's CPU is not this one.
  if (!package.config && !package.Gpu() && !options.engine.IsRemote())
    FindSlowSteps(package, files.inputs[0], *session, &report);
  if (timer) report.timing = Time(session->first(), files.inputs[0], *timer);
  if (options.in_flight) {
    report.measured = Fly(model, session->first(), files.inputs, options.repeat, profile, deadline,
                          {.in_flight = *options.in_flight,
                           .apart = options.engine.apart,
                           .kernels = options.engine.kernels},
                          outputs);
    equal &= report.measured.has_value();
  }
  progress.Hide();
  const std::string comparison = session->Text();
  const Json comparison_json = session->ToJson();
  session.reset();  // which ends the wave
  fmt::print("{}", ReportTable(report, options.wide));
  const isa::Counters total = Total(profile);
  const bool answers = !questions.asked.empty() && total.causes;
  if (!questions.asked.empty() && !answers)
    fmt::print("--what-if: nothing runs on the accelerator\n");
  if (answers) {
    fmt::print("{}", WhatIfTable(questions, *total.time, *total.causes));
  }
  fmt::print("{} in {:.3f} s\n",
             Counted(files.inputs.size() * options.repeat * report.batch, "inference"),
             took.count());
  fmt::print("{}", comparison);
  fmt::print("{}", AnswerText(package, outputs, files.pictures, files.class_names));
  WriteOutputs(package, options.outputs, outputs, SerializeSampleFile);
  if (package.config)
    observation.Finish(*package.config, NamedLayers(report, observation.timeline()));
  if (!options.report.empty() || !options.html.empty())
    report.package_hash = isa::PackageHash(isa::SerializePackage(package));
  if (!options.report.empty()) {
    Json json = ReportJson(report);
    json.Set("answer", AnswerJson(package, outputs, files.pictures, files.class_names));
    if (!comparison.empty()) json.Set("comparison", comparison_json);
    if (answers) json.Set("what_if", WhatIfJson(questions, *total.time, *total.causes));
    WriteFileAtomically(options.report, json.Dump() + "\n");
  }
  if (!options.html.empty())
    WriteFileAtomically(options.html,
                        ReportPage(report, isa::Layout(*package.config), observation.timeline()));
  if (!files.labels.empty()) PrintAccuracy(files.labels, package, outputs);
  if (options.references.empty()) return equal ? 0 : 1;
  return CompareWith(options, package, files.expected, outputs) && equal ? 0 : 1;
}

}  // namespace

std::function<int()> AddRunCommand(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  options->model.AddTo(app);
  app.get_option("MODEL")->required(false);  // --self-test needs none
  ReadsFile(options->model.native.AddTo(app));
  options->engine.name = "cycle";  // the first report that somebody sees has cycles
  options->engine.AddListTo(app);
  app.option_defaults()->group("Inputs");
  CLI::Option* input = ReadsFile(
      app.add_option("--input", options->inputs,
                     StrCat(kInputHelp, "; ONNX's *.pb; once for each input of the model")));
  AddEncodingTo(app, &options->encoding, input);
  CLI::Option* state = AddStateTo(app, &options->states);
  app.add_option("--seed", options->seed, "of random inputs, where there is no --input")
      ->check(Unsigned64("an integer"))
      ->capture_default_str();
  app.option_defaults()->group("Outputs");
  WritesFile(app.add_option("--output", options->outputs,
                            "write the outputs there, raw or as *.npy or *.pb; once for each"));
  CLI::Option* reference = ReadsFile(app.add_option(
      "--reference", options->references, "expected outputs; exit status 1 where they differ"));
  app.add_option("--tolerance", options->tolerance, "largest difference that counts as equal")
      ->check(NumberFrom(0, kLargestScale, "must be a finite number that is not negative"))
      ->needs(reference)
      ->capture_default_str();
  ReadsFile(app.add_option("--labels", options->labels, "a class a line: print the accuracy"));
  ReadsFile(app.add_option("--class-names", options->class_names,
                           "names of classes, one a line, for what the network answered"));
  app.option_defaults()->group("Running");
  app.add_option("--repeat", options->repeat, "run all samples so many times")
      ->check(IntegerFrom(1, kMostRepeats))
      ->capture_default_str();
  app.add_flag("--apart", options->engine.apart,
               "each layer in a launch of its own, as several engines are compared");
  app.add_option("--limit", options->limit_s, "stop when all inferences took so many seconds")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"))
      ->type_name("SECONDS");
  app.option_defaults()->group("Reports");
  app.add_option(
         "--what-if", options->engine.what_if,
         StrCat("also the cycles without something: a list, and with + at once, of ", WhatIfKeys()))
      ->type_name("CHANGES");
  ReadsEnergyTable(
      app.add_option("--energy", options->energy,
                     "energies of the report's model: TECHNOLOGY[,DRAM], a shipped one or a file"));
  app.add_flag("--wide", options->wide, "every column of the table, wider than a terminal");
  WritesFile(app.add_option("--report", options->report, "write the report as JSON"));
  WritesFile(app.add_option("--html", options->html, "write the report as a page for a browser"));
  app.option_defaults()->group("Looking closer");
  app.add_option("--time", options->timer, kTimerHelp)->type_name("TIMER");
  app.add_option("--in-flight", options->in_flight, kInFlightHelp)
      ->check(IntegerFrom(1, runtime::Pipeline::kMostInFlight));
  CLI::Option* bisect = app.add_flag("--bisect", options->bisect, kBisectHelp);
  CLI::Option* self_test = app.add_flag("--self-test", options->self_test, kSelfTestHelp);
  Alone(app, self_test, {"MODEL", "--config", "--engine", "--limit"});
  Alone(app, bisect,
        {"MODEL", "--config", "--rounding", "--target", "--place", "--cpu", "--dim", "--assume",
         "--dump-dir", "--memory-limit", "--engine", "--input", "--seed", "--limit"},
        {kEncodingOptions, kNativeOptions});
  state->excludes(app.get_option("--in-flight"));
  for (const char* looks : {"--lockstep", "--wave", "--trace", "--html", "--what-if"})
    for (const char* runs : {"--time", "--in-flight"})
      app.get_option(runs)->excludes(app.get_option(looks));
  return [options] { return Run(*options); };
}

}  // namespace vta::tools
