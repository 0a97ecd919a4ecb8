// vta explore MODEL... --space S.json -o DIR
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/log.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"
#include "tools/shared/version.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/assume.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/session.h"
#include "tools/vta/explore/confirm.h"
#include "tools/vta/explore/page.h"
#include "tools/vta/explore/sensitivity.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostPoints = 20'000;

struct ExploreOptions {
  std::vector<std::string> models, dims, objectives = {"latency", "area", "energy"};
  std::vector<double> weights;
  std::string space, folder, energy, config, assume;
  std::optional<double> budget_s;
  TuneOptions jobs;
  int64_t most = kMostPoints;
  uint64_t seed = 1;
  ConfirmOptions confirm;
  bool no_pruning = false, json = false, sensitivity = false;
};

std::string SurvivorsText(const Candidates& candidates, const Space& space) {
  std::string text =
      candidates.sampled
          ? fmt::format("{} of the {} of {}:\n", WithCommas(candidates.survivors[0].left),
                        CountedWithCommas(space.size(), "point"), space.name())
          : fmt::format("{}: {}\n", space.name(), CountedWithCommas(space.size(), "point"));
  for (size_t i = 1; i < candidates.survivors.size(); ++i)
    text += fmt::format("  {:>9} left: {}\n", WithCommas(candidates.survivors[i].left),
                        candidates.survivors[i].what);
  return text;
}

/// Which points the second look took off the front, or put there.
std::string ChangesText(const std::vector<PointRow>& before, const std::vector<PointRow>& after) {
  const auto names = [](const std::vector<PointRow>& rows) {
    std::set<std::string> names;
    for (const PointRow& row : rows)
      if (row.on_front) names.insert(row.facts->config.name);
    return names;
  };
  const std::set<std::string> was = names(before), is = names(after);
  std::string text;
  for (const std::string& name : was)
    if (!is.contains(name)) text += StrCat(name, " left the front\n");
  for (const std::string& name : is)
    if (!was.contains(name)) text += StrCat(name, " came to the front\n");
  return text;
}

void WriteFront(const std::string& folder, const std::vector<PointRow>& rows) {
  const std::string front = folder + "/front";
  std::filesystem::remove_all(front);
  std::filesystem::create_directories(front);
  for (const PointRow& row : rows)
    if (row.on_front)
      WriteFileAtomically(StrCat(front, "/", row.facts->config.name, ".json"),
                          isa::ConfigToJson(row.facts->config));
}

int ShowSensitivity(const ExploreOptions& options) {
  const isa::Config config = FindConfig(options.config);
  Progress progress("explore");
  progress.At("reading the networks");
  const Workload workload(options.models, options.weights, options.dims, options.assume,
                          options.energy);
  progress.At(StrCat("each parameter of ", config.name));
  const std::vector<Step> steps =
      Sensitivity(workload, config, options.confirm.effort, JobsOf(options.jobs));
  progress.Hide();
  fmt::print("{}", options.json ? SensitivityJson(config, steps).Dump() + "\n"
                                : SensitivityText(config, steps));
  return 0;
}

/// Errors: throws UsageError where what is asked for lacks an option, or has one of the other.
void RequireOptions(const CLI::App& app, bool sensitivity) {
  for (const char* const option : {"--space", "--output"})
    if ((app.count(option) > 0) == sensitivity)
      throw UsageError(option, "", "",
                       sensitivity ? "is of a space, and --sensitivity is of one config"
                                   : "is missing: a space, and the folder of its results");
}

int Explore(const ExploreOptions& options, const std::string& build) {
  const Clock::time_point start = Clock::now();
  CheckFolder(options.folder);
  const Space space = Space::Parse(ReadTextFile(options.space), options.space);
  const std::string& part = space.constraints().part;
  if (const auto parts = PartNames(); !part.empty() && std::ranges::count(parts, part) == 0)
    throw Error(options.space, "constraints.part", part,
                StrCat("must be one of ", Listed(parts), DidYouMean(part, parts)));
  Exploration exploration{&space};
  for (const std::string& name : options.objectives)
    exploration.objectives.push_back(
        static_cast<Objective>(std::ranges::find(kObjectives, name) - std::begin(kObjectives)));
  Progress progress("explore " + space.name());
  progress.At("reading the networks");
  const Workload workload(options.models, options.weights, options.dims, options.assume,
                          options.energy);
  exploration.workload = &workload;
  progress.At("looking at the points");
  const Candidates candidates = CandidatesOf(space, options.most, options.seed);
  exploration.candidates = &candidates;
  exploration.read_with = {options.assume, options.dims, options.confirm.effort};
  progress.Hide();
  if (!options.json) fmt::print("{}\n", SurvivorsText(candidates, space));

  std::filesystem::create_directories(options.folder);
  const std::string file = options.folder + "/points.jsonl";
  const ResultsHead head{space.hash(), workload.hash(), build};
  for (PointResult& result : ReadResults(file, head))
    exploration.results[result.point] = std::move(result);
  ResultsWriter writer(file, head);
  SweepOptions sweep{
      .jobs = JobsOf(options.jobs), .prunes = !options.no_pruning, .seed = options.seed};
  if (options.budget_s)
    sweep.end = start + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(*options.budget_s));
  const auto values = [&](const PointFacts& facts, const PointResult& result) {
    const PointRow row = RowOf(workload, space, facts, result);
    std::vector<double> own;
    for (const Objective objective : exploration.objectives) own.push_back(ValueOf(row, objective));
    return own;
  };
  Sweep(workload, candidates.points, sweep, values, writer, exploration.results,
        [&](const PointFacts& facts, const PointResult& result) {
          progress.Count(std::ssize(exploration.results), std::ssize(candidates.points));
          progress.At(facts.config.name);
          ++exploration.costed;
          if (result.end == PointResult::End::kFailed)
            Log(LogLevel::kWarning, StrCat(facts.config.name, ": ", result.why));
        });
  progress.Hide();
  exploration.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::vector<PointRow> before = RowsOf(exploration);
  ConfirmOptions confirm = options.confirm;
  confirm.jobs = sweep.jobs;
  Confirm(confirm, &exploration, [&](const std::string& what) { progress.At(what); });
  progress.Hide();
  const std::vector<PointRow> rows = RowsOf(exploration);
  if (!options.json) fmt::print("{}", ChangesText(before, rows));
  WriteFront(options.folder, rows);
  const Json summary = JsonOf(exploration, rows);
  const std::string json = summary.Dump() + "\n";
  WriteFileAtomically(options.folder + "/summary.json", json);
  WriteFileAtomically(options.folder + "/index.html", ExplorePage(summary));
  if (rows.empty())
    throw Error(options.space, "points", StrCat(exploration.results.size()),
                StrCat("none could be costed, or keeps to the constraints: ", options.folder,
                       "/summary.json says why"));
  fmt::print("{}", options.json ? json : TextOf(exploration, rows));
  return 0;
}

}  // namespace

std::function<int()> AddExploreCommand(CLI::App& app) {
  auto options = std::make_shared<ExploreOptions>();
  ReadsFile(app.add_option("MODEL", options->models,
                           "ONNX or TensorFlow Lite models, or names of vta model")
                ->required());
  ReadsFile(app.add_option("--space", options->space,
                           "a config file whose values may be lists, and its constraints"));
  WritesFolder(app.add_option("-o,--output", options->folder,
                              "where points, front and summary go; what is there already goes on"));
  CLI::Option* sensitivity =
      app.add_flag("--sensitivity", options->sensitivity,
                   "instead: each parameter of one config a step up and down, by what it helps");
  ReadsConfig(
      app.add_option("-c,--config", options->config, "that config: a shipped name or a file"))
      ->needs(sensitivity);
  sensitivity->needs(app.get_option("--config"));
  app.add_option("--objective", options->objectives, "what the front is of, with commas between")
      ->check(OneOf({std::begin(kObjectives), std::end(kObjectives)}))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--weights", options->weights, "of the models in means; 1 each")->delimiter(',');
  app.add_option("--energy", options->energy,
                 "the table of energies, as vta run has it: TECHNOLOGY[,DRAM]");
  AddDimTo(app, &options->dims);
  AddAssumeTo(app, &options->assume);
  app.option_defaults()->group("Searching");
  app.add_option("--points", options->most,
                 "most that are looked at: of a larger space so many at random")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options->seed, "of what is random")->capture_default_str();
  app.add_option("--budget", options->budget_s, "seconds, after which no point begins")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  app.add_option("--jobs", options->jobs.jobs, "points at once; all processors")
      ->check(IntegerFrom(1, 1024));
  app.add_option("--effort", options->confirm.effort,
                 "schedules of a layer that are costed for points of the front, as vta run does")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--confirm", options->confirm.on_rtl,
                 "points of the front that run on the RTL, too, a minute each")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_flag("--no-pruning", options->no_pruning,
               "compile points whose ideal is beaten by another point, too");
  app.add_flag("--json", options->json, "print the summary for machines");
  return [options, &app] {
    RequireOptions(app, options->sensitivity);
    if (options->sensitivity) return ShowSensitivity(*options);
    return Explore(*options, ThisBuild(app.get_parent()->version()));
  };
}

}  // namespace vta::tools
