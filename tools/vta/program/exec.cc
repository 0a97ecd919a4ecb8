// vta exec FILE|FOLDER --insn ADDRESS --count N -o IMAGE2: proves raw instruction streams and runs
// them on a flat DRAM.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "driver/boards.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "tools/shared/document.h"
#include "tools/shared/log.h"
#include "tools/shared/usage.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/flat_launch.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/raw.h"
#include "tools/vta/program/launch_report.h"
#include "tools/vta/program/program_image.h"

namespace vta::tools {
namespace {

struct ExecOptions {
  ProgramOptions program;
  EngineOptions engine;
  std::string output;
  double limit_s = 0;
  bool apart = false, unproved = false, json = false;

  Launches launches() const { return apart ? Launches::kApart : Launches::kOfSeveral; }
};

/// What runs on one device: the programs of a file, or one launch of a raw folder.
struct Job {
  std::string path;
  ProgramImage file;
  std::optional<std::vector<uint8_t>> expected;  // the image after it
};
using Jobs = std::vector<std::function<Job()>>;  // read one at a time: images are large

Jobs JobsOf(const ExecOptions& options) {
  const std::string& path = options.program.path;
  if (!IsRawFolder(path)) {
    // Read once: a pipe gives its bytes once, and what runs is what was proved.
    const auto job = std::make_shared<const Job>(Job{path, LoadProgramImage(options.program), {}});
    if (options.apart && !job->file.package)
      throw UsageError(path, "--apart", "", "is for packages, whose layers share launches");
    return {[job] { return *job; }};
  }
  const auto refuse = [&](bool given, const std::string& option) {
    if (given)
      throw UsageError(
          path, option, "",
          "is for one program; give exec an image of the folder with --insn and --count");
  };
  refuse(options.program.config.has_value(), "--config");
  refuse(options.program.address.has_value(), "--insn");
  refuse(options.program.count.has_value(), "--count");
  refuse(options.apart, "--apart");
  refuse(!options.output.empty(), "--output");
  refuse(!options.engine.wave.empty() || !options.engine.trace.empty(), "--wave or --trace");
  Jobs jobs;
  const RawFolder folder = ReadRawFolder(path);
  if (folder.launches.empty()) throw Error(path, "", "", "holds no program");
  for (const RawLaunch& launch : folder.launches)
    jobs.push_back([launch, config = folder.config] {
      return Job{launch.image, LoadRawImage(config, launch),
                 ReadFile(launch.expected, isa::kMaximumImageBytes)};
    });
  return jobs;
}

/// Prints what happens to each program, in words or, at the end, for machines.
class Reporter {
 public:
  explicit Reporter(bool json) : json_(json) {}

  void Proof(const ProgramImage& programs, const ProgramRange& range, const isa::Report& report) {
    Json& entry = entries_.emplace_back();
    if (!range.name.empty()) entry.Set("program", range.name);
    entry.Set("proof", Json::Parse(isa::ReportToJson(report), "report"));
    Say(range, report.ok() ? "proved\n" : VerdictText(programs, range, report));
  }
  /// Launches come in the order of the proofs.
  void Launch(const ProgramImage& programs, const ProgramRange& range,
              const isa::LaunchResult& result) {
    Json launch = LaunchToJson(programs.config, result);
    for (auto& [key, value] : *launch.as_object())
      entries_.at(launches_).Set(key, std::move(value));
    ++launches_;
    Say(range, LaunchToText(programs.config, result));
  }
  void Differing(const ProgramRange& range, int64_t bytes, int64_t first) {
    entries_.at(launches_ - 1).Set("differing_bytes", bytes);
    Say(range, bytes == 0 ? "memory as expected\n"
                          : StrCat("memory differs from what is expected in ",
                                   Counted(bytes, "byte"), ", the first at ", Hex(first), "\n"));
  }
  void Finish() const {
    if (!json_) return;
    std::printf("%s\n", HeadOf(kExecDocument).Set("programs", entries_).Dump().c_str());
  }

 private:
  void Say(const ProgramRange& range, const std::string& text) const {
    if (json_) return;
    std::printf("%s%s%s", Visible(range.name).c_str(), range.name.empty() ? "" : ": ",
                text.c_str());
    std::fflush(stdout);
  }

  bool json_;
  Json::Array entries_;
  size_t launches_ = 0;
};

void SayWhatIsLeftOut(const ProgramImage& file) {
  if (!file.package) return;
  const size_t steps = file.package->steps.size(), kernels = steps - file.programs.size();
  if (kernels > 0)
    Log(LogLevel::kWarning,
        StrCat(kernels, " of ", Counted(steps, "step"), " ", VerbOf(kernels, steps, "run"),
               " on the CPU, left out here: programs find there what the "
               "image holds"));
}

/// False, and nothing runs, where a program is refused and nobody asked to run it all the same.
bool Prove(const ExecOptions& options, const Jobs& jobs, Reporter& reporter) {
  bool ok = true;
  for (const auto& read : jobs) {
    const ProgramImage file = read().file;
    if (file.programs.empty()) throw Error(options.program.path, "", "", "holds no program");
    SayWhatIsLeftOut(file);
    for (const ProgramRange& range : file.Launched(options.launches())) {
      options.engine.progress->At(StrCat("proving ", range.name));
      const isa::Report report = file.Prove(range);
      options.engine.progress->Hide();
      reporter.Proof(file, range, report);
      ok &= report.ok();
    }
  }
  if (ok) return true;
  if (options.unproved)
    Log(LogLevel::kWarning, "--unproved: it runs all the same");
  else
    Log(LogLevel::kError, "nothing was run; with --unproved it runs all the same");
  return options.unproved;
}

bool RunJob(const ExecOptions& options, Job job, const Observation& observation,
            Reporter& reporter) {
  const std::vector<ProgramRange> ranges = job.file.Launched(options.launches());
  std::vector<FlatLaunch> launches;
  std::vector<std::string> names;
  for (const ProgramRange& range : ranges) {
    launches.push_back({range.address, range.count});
    names.push_back(range.name);
    if (options.limit_s > 0)
      launches.back().limit = std::chrono::nanoseconds(static_cast<int64_t>(options.limit_s * 1e9));
  }
  std::vector<uint8_t> image = std::move(job.file).TakeImage(job.path);
  options.engine.progress->At("");
  const auto results = RunFlat(options.engine, job.file.config, launches, image);
  if (!options.output.empty()) WriteFileAtomically(options.output, image);
  observation.Finish(job.file.config, sim::NamedLaunches(observation.timeline(), names));
  for (size_t i = 0; i < results.size(); ++i) reporter.Launch(job.file, ranges[i], results[i]);
  if (results.size() < launches.size() || results.back().outcome != isa::Outcome::kFinished)
    return false;
  if (!job.expected) return true;
  if (job.expected->size() != image.size())
    throw Error(job.path, "", Counted(image.size(), "byte"),
                StrCat("the image expected after it has ", job.expected->size()));
  int64_t differing = 0, first = -1;
  for (size_t i = 0; i < image.size(); ++i)
    if (image[i] != (*job.expected)[i] && differing++ == 0) first = static_cast<int64_t>(i);
  reporter.Differing(ranges[0], differing, first);
  return differing == 0;
}

int Exec(ExecOptions& options) {
  const Observation observation(options.engine);
  if (options.unproved && driver::IsBoard(options.engine.name))
    throw UsageError("--unproved", "", options.engine.name,
                     "is a board, whose memory is that of its processor, too");
  if (options.unproved && options.engine.IsRemote())
    throw UsageError("--unproved", "", options.engine.name,
                     "may be a board, whose memory is that of its processor, too");
  Progress progress(StrCat("exec ", options.program.path));
  options.engine.progress = &progress;
  const Jobs jobs = JobsOf(options);
  Reporter reporter(options.json);
  bool good = Prove(options, jobs, reporter);
  for (size_t i = 0; good && i < jobs.size(); ++i)
    good = RunJob(options, jobs[i](), observation, reporter);
  reporter.Finish();
  return good ? 0 : 1;
}

}  // namespace

std::function<int()> AddExecCommand(CLI::App& app) {
  auto options = std::make_shared<ExecOptions>();
  app.option_defaults()->group("Program");
  AddProgramOptions(app, options->program);
  options->engine.AddTo(app);
  app.option_defaults()->group("Running");
  WritesFile(
      app.add_option("-o,--output", options->output, "the image to write: DRAM after the run"));
  app.add_option("--limit", options->limit_s, "stop a program after so many seconds")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"))
      ->type_name("SECONDS");
  app.add_flag("--apart", options->apart,
               "each layer of a package by a program of its own, where layers share a launch");
  app.add_flag("--unproved", options->unproved, "run what the proof refuses, too");
  app.add_flag("--json", options->json, "print for machines");
  return [options] { return Exec(*options); };
}

}  // namespace vta::tools
