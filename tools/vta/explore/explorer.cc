#include "tools/vta/explore/explorer.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "tools/shared/nearest.h"
#include "tools/shared/usage.h"
#include "tools/shared/validators.h"
#include "tools/vta/common/assume.h"
#include "tools/vta/common/command_line.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/engines.h"
#include "tools/vta/common/farm/kinds.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/synthesis.h"
#include "tools/vta/explore/page.h"
#include "tools/vta/explore/sensitivity.h"

namespace vta::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostLooked = 20'000;  // of a larger space so many at random

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

/// Of an earlier call are only files that bear a name of the space's points: NAME_POINT.json,
/// NAME_POINT.html, NAME_POINT.NETWORK.html.
bool IsOfSpace(const std::filesystem::path& file, const Space& space) {
  const std::string name = file.stem(), begin = space.name() + "_";
  return (file.extension() == ".json" || file.extension() == ".html") && name.starts_with(begin) &&
         name.find_first_not_of("0123456789.", begin.size()) == std::string::npos;
}

void WriteSummary(const std::string& folder, const Exploration& exploration,
                  const std::vector<PointRow>& rows) {
  const Json summary = JsonOf(exploration, rows);
  WriteFileAtomically(folder + "/summary.json", summary.Dump() + "\n");
  WriteFileAtomically(folder + "/index.html", ExplorePage(summary));
}

/// The front's configs, summary and page.
void WriteFiles(const std::string& folder, const Exploration& exploration,
                const std::vector<PointRow>& rows) {
  const std::string front = folder + "/front";
  std::filesystem::create_directories(front);
  for (const auto& file : std::filesystem::directory_iterator(front))
    if (IsOfSpace(file.path(), *exploration.space)) std::filesystem::remove(file.path());
  for (const PointRow& row : rows)
    if (row.on_front)
      WriteFileAtomically(StrCat(front, "/", row.facts->config.name, ".json"),
                          isa::ConfigToJson(row.facts->config));
  WriteSummary(folder, exploration, rows);
}

/// What the folder has. What was pruned or failed may end otherwise today.
std::map<int64_t, PointResult> ResultsOf(const std::string& file, const ResultsHead& head,
                                         size_t networks) {
  std::map<int64_t, PointResult> results;
  for (PointResult& result : ReadResults(file, head))
    if (result.end == PointResult::End::kRefused ||
        (result.end == PointResult::End::kCosted && result.networks.size() == networks))
      results[result.point] = std::move(result);
  return results;
}

std::vector<Objective> ObjectivesOf(const std::vector<std::string>& names) {
  std::vector<Objective> objectives;
  for (const std::string& name : names) {
    const auto one =
        static_cast<Objective>(std::ranges::find(kObjectives, name) - std::begin(kObjectives));
    if (std::ranges::count(objectives, one) > 0)
      throw UsageError("--objective", "", name, "must stand there once");
    objectives.push_back(one);
  }
  return objectives;
}

void RequirePart(const Space& space) {
  const std::string& part = space.constraints().part;
  if (const auto parts = PartNames(); !part.empty() && std::ranges::count(parts, part) == 0)
    throw Error(space.file(), "constraints.part", part,
                StrCat("must be one of ", Listed(parts), DidYouMean(part, parts)));
}

}  // namespace

compiler::ImportOptions ExploreOptions::Import() const {
  return {.dimensions = Dimensions(dims), .command = command ? CommandLine(*command) : ""};
}

void ExploreOptions::RequireTogether(const CLI::App& app) const {
  for (const char* const option : {"--space", "--output"})
    if ((app.count(option) > 0) == sensitivity)
      throw UsageError(option, "", "",
                       sensitivity ? "is of a space, and --sensitivity is of one config"
                                   : "is missing: a space, and the folder of its results");
}

ExploreResult ExploreSteps(const ExploreOptions& options, Progress* progress) {
  const isa::Config config = options.own_config ? *options.own_config : FindConfig(options.config);
  progress->At("reading the networks");
  const Workload workload(options.models, options.files, options.weights, options.Import(),
                          options.assume, options.energy);
  progress->At(StrCat("each parameter of ", config.name));
  const std::vector<Step> steps =
      Sensitivity(workload, config, options.confirm.effort, JobsOf(options.jobs), progress);
  progress->Hide();
  return {SensitivityJson(config, steps), SensitivityText(config, steps)};
}

ExploreResult Explore(const ExploreOptions& options, const std::string& build, Progress* progress,
                      const std::function<void(const std::string&)>& say) {
  const Clock::time_point start = Clock::now();
  CheckFolder(options.folder);
  const Space space = Space::Parse(
      options.own_space.empty() ? ReadTextFile(options.space) : options.own_space, options.space);
  RequirePart(space);
  Exploration exploration{&space};
  exploration.objectives = ObjectivesOf(options.objectives);
  const bool of_error = std::ranges::count(exploration.objectives, Objective::kError) > 0;
  if (of_error && options.eval.empty())
    throw UsageError("--objective", "", "error", "needs --eval, with samples");
  if (!options.eval.empty() && options.models.size() > 1)
    throw UsageError("--eval", "", "", "is of one network");
  progress->At("reading the networks");
  const Workload workload(options.models, options.files, options.weights, options.Import(),
                          options.assume, options.energy);
  exploration.workload = &workload;
  const auto on_wait = [progress] { progress->RequireGoingOn(); };
  OutputErrors accuracy(options.models[0], options.files, options.dims, options.eval, on_wait);
  if (accuracy.is_asked()) exploration.accuracy = &accuracy;
  progress->At("looking at the points");
  const Gate gate(space);
  exploration.candidates =
      CandidatesOf(gate, std::max(kMostLooked, options.search.most), options.search.seed);
  exploration.read_with = {options.assume, options.dims, options.confirm.effort};
  progress->Hide();
  say(SurvivorsText(exploration.candidates, space) + "\n");

  // What is wrong with the options is said before there is a folder of results.
  workload.LeastOn(0, exploration.candidates.points.front().config);
  if (!space.constraints().part.empty() && options.confirm.on_rtl > 0)
    RequireTool("yosys", "; --confirm 0 does without");
  if (std::filesystem::exists(options.folder + "/front") &&
      !std::filesystem::is_directory(options.folder + "/front"))
    throw Error(options.folder + "/front", "", "", "must be a folder");
  std::filesystem::create_directories(options.folder);
  const std::string file = options.folder + "/points.jsonl";
  const ResultsHead head{space.hash(), workload.hash(), build};
  auto kept = ResultsOf(file, head, options.models.size());
  ResultsWriter writer(file, head);
  SweepOptions sweep{.jobs = JobsOf(options.jobs),
                     .prunes = !options.no_pruning,
                     .seed = options.search.seed,
                     .on_wait = on_wait};
  if (options.budget_s)
    sweep.end = start + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(*options.budget_s));
  std::optional<FarmSearch> farm;
  if (!options.farm.url.empty()) {
    farm.emplace(
        options.farm,
        ExploreStudy({options.models, options.files, options.dims, options.assume, options.energy},
                     build, std::chrono::duration<double>(sweep.limit).count()),
        std::filesystem::canonical(options.folder));
    sweep.farm = &*farm;
  }
  Searcher searcher(options.search, sweep, {&writer, progress}, std::move(kept), &exploration);
  searcher.Run(gate);
  progress->Hide();
  exploration.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::vector<PointRow> before = RowsOf(exploration);
  WriteFiles(options.folder, exploration, before);  // which stays where the second look fails
  ConfirmOptions confirm = options.confirm;
  confirm.jobs = sweep.jobs;
  confirm.farm = sweep.farm;
  confirm.on_wait = on_wait;
  do {
    Confirm(confirm, &exploration, [&](const std::string& what) { progress->At(what); });
  } while (searcher.CostUnbeaten());
  progress->Hide();
  const std::vector<PointRow> rows = RowsOf(exploration);
  exploration.changes = ChangesOf(exploration, before, rows);
  WriteFiles(options.folder, exploration, rows);
  if (options.reports > 0 && !rows.empty()) {
    WriteReports({options.reports, options.folder, options.energy, sweep.jobs, on_wait}, rows,
                 &exploration, [&](const std::string& what) { progress->At(what); });
    progress->Hide();
    WriteSummary(options.folder, exploration, rows);
  }
  if (rows.empty())
    throw Error(options.space, "points", StrCat(exploration.results.size()),
                StrCat("none could be costed, or keeps to the constraints: ", options.folder,
                       "/summary.json says why"));
  return {JsonOf(exploration, rows), TextOf(exploration, rows)};
}

void ExploreOptions::AddTo(CLI::App& app) {
  ReadsFile(app.add_option("MODEL", models, "ONNX or TensorFlow Lite models, or names of vta model")
                ->required());
  ReadsFile(app.add_option("--space", space,
                           "a config file whose values may be lists, and its constraints"));
  WritesFolder(app.add_option("-o,--output", folder,
                              "where points, front and summary go; what is there already goes on"));
  CLI::Option* const alone =
      app.add_flag("--sensitivity", sensitivity,
                   "instead: each parameter of one config a step up and down, by what it helps");
  ReadsConfig(app.add_option("-c,--config", config, "that config: a shipped name or a file"))
      ->needs(alone);
  alone->needs(app.get_option("--config"));
  app.add_option("--objective", objectives, "what the front is of, with commas between")
      ->check(OneOf({std::begin(kObjectives), std::end(kObjectives)}))
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--weights", weights, "of the models in means; 1 each")->delimiter(',');
  app.add_option("--energy", energy, "the table of energies, as vta run has it: TECHNOLOGY[,DRAM]");
  CLI::Option* const samples =
      app.add_option("--eval", eval,
                     "samples, as options of vta eval in one text: \"--data "
                     "x.npy --labels y.txt\"; for the error");
  AddDimTo(app, &dims);
  AddAssumeTo(app, &assume);
  samples->excludes(app.get_option("--assume"));
  app.option_defaults()->group("Searching");
  app.add_option("--points", search.most,
                 "most that are costed: of a space with more, which --search finds")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--search", search.by,
                 "then: nsga2 breeds points of those that nothing beats, random takes any")
      ->check(OneOf({std::begin(kSearches), std::end(kSearches)}))
      ->capture_default_str();
  app.add_option("--seed", search.seed, "of what is random")
      ->check(Unsigned64("an integer"))
      ->capture_default_str();
  app.add_option("--budget", budget_s,
                 "seconds of this call, after which no point begins; the second look is behind it")
      ->check(NumberFrom(0.001, 1e9, "must be 0.001 to 1e9 seconds"));
  app.add_option("--jobs", jobs.jobs, "points at once; all processors")
      ->check(IntegerFrom(1, 1024));
  app.add_option("--effort", confirm.effort,
                 "schedules of a layer that are costed for points of the front, as vta run does")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--confirm", confirm.on_rtl,
                 "points of the front that run on the RTL, too, a minute each")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--reports", reports,
                 "points of the front that get a report each, as vta run --html writes it")
      ->check(IntegerFrom(0, 1'000'000))
      ->capture_default_str();
  app.add_flag("--no-pruning", no_pruning,
               "compile points whose ideal is beaten by another point, too");
  app.add_flag("--json", json, "print the summary for machines");
  farm.AddTo(app);
  AddCredentialsTo(app, &farm.credentials)->group("Other machines");
  Alone(app, alone,
        {"MODEL", "--config", "--weights", "--energy", "--dim", "--assume", "--effort", "--jobs",
         "--json", "--space", "--output"});
  command = &app;
}

}  // namespace vta::tools
