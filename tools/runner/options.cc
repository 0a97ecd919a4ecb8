#include "tools/runner/options.h"

#include <CLI/CLI.hpp>

#include "isa/support/error.h"
#include "runtime/engine.h"
#include "runtime/pipeline.h"
#include "runtime/thread_pool.h"
#include "tools/help/program.h"
#include "tools/shared/sample_options.h"
#include "tools/shared/states.h"
#include "tools/shared/trials.h"
#include "tools/shared/validators.h"
#include "tools/shared/version.h"

namespace vta::tools {

namespace {

constexpr char kName[] = "vta-run", kSummary[] = "Runs a package that vta compile made.";

void Declare(CLI::App& app, RunnerOptions& options, const std::string& commit) {
  constexpr int64_t kMostRepeats = 1'000'000;
  AddEverywhere(app, [commit] { return VersionText(kName, commit, false); });
  app.add_option("PACKAGE", options.package, "a package (*.vta)")->type_name(kFile);
  app.option_defaults()->group("Running");
  app.add_option("--engine", options.engine,
                 StrCat("what runs the accelerator's programs: ", runtime::EngineList()))
      ->type_name("ENGINE")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "that compute; without it as many as processors")
      ->check(IntegerFrom(1, runtime::ThreadPool::kMaxThreads));
  app.add_option("--repeat", options.repeat, "run all samples so many times")
      ->check(IntegerFrom(1, kMostRepeats))
      ->capture_default_str();
  app.add_option("--limit", options.limit_s, "stop when all inferences took so many seconds")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  options.native.AddTo(app);
  app.option_defaults()->group("Inputs");
  CLI::Option* input = app.add_option("--input", options.inputs,
                                      StrCat(kInputHelp, "; once for each input of the model"))
                           ->type_name(kFile)
                           ->allow_extra_args(false);
  AddEncodingTo(app, &options.encoding, input);
  CLI::Option* state = AddStateTo(app, &options.states);
  app.add_option("--class-names", options.class_names,
                 "names of classes, one a line, for what the network answered")
      ->type_name(kFile);
  app.option_defaults()->group("Outputs");
  app.add_option("--output", options.outputs,
                 "write the outputs there, raw or as *.npy; once for each")
      ->type_name(kWritten)
      ->allow_extra_args(false);
  app.option_defaults()->group("Looking closer");
  app.add_option("--time", options.timer, kTimerHelp)->type_name("TIMER");
  app.add_option("--in-flight", options.in_flight, kInFlightHelp)
      ->check(IntegerFrom(1, runtime::Pipeline::kMostInFlight));
  CLI::Option* bisect = app.add_flag("--bisect", options.bisect, kBisectHelp);
  CLI::Option* self_test = app.add_flag("--self-test", options.self_test, kSelfTestHelp);
  app.add_option("-c,--config", options.config, "whose programs the self-test is, a file (*.json)")
      ->type_name(kFile)
      ->needs(self_test);
  Alone(app, self_test, {"PACKAGE", "--engine", "--config"});
  Alone(app, bisect, {"PACKAGE", "--engine", "--input", "--threads", "--limit"},
        {kEncodingOptions, kNativeOptions});
  state->excludes(app.get_option("--in-flight"));
  app.footer("Example: vta-run digits.vta --input image.npy");
}

}  // namespace

RunnerOptions::RunnerOptions() : engine(runtime::kFunctionalEngine) {}

CommandFacts RunnerFacts() {
  RunnerOptions options;
  CLI::App app(kSummary, kName);
  Declare(app, options, "");
  return FactsOf(app);
}

int RunRunner(int argc, const char* const* argv, const std::string& commit,
              const std::function<int(const RunnerOptions&)>& run) {
  RunnerOptions options;
  CLI::App app(kSummary, kName);
  Declare(app, options, commit);
  return RunProgram(app, argc, argv, PlainWriter, [&] { return run(options); });
}

}  // namespace vta::tools
