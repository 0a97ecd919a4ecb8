// vta bench zoo: model files that people ship, as they are on the CPU beside the runtime of their
// format, and in int8 on an accelerator variant.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/plural.h"
#include "isa/support/shipped.h"
#include "isa/support/temporary.h"
#include "sim/build/once.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/timing/design.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/compare.h"
#include "tools/vta/bench/zoo_row.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/dimensions.h"
#include "tools/vta/common/json_process.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/processes.h"
#include "tools/vta/common/progress.h"
#include "tools/vta/common/python_tools.h"

namespace vta::tools {
namespace {

constexpr char kCpu[] = "cpu", kVta[] = "vta";  // targets
constexpr char kPictures[] = "pictures", kRows[] = "tools/bench/zoo.txt";

struct ZooCommand {
  std::string folder;
  std::vector<std::string> only, dims, targets = {kCpu, kVta};
  int64_t threads = 1;
  ZooOptions measuring;
  int64_t limit_s = 1800;
  bool json = false;
};

/// How models are run, by the ends of their paths.
struct Preparation {
  std::vector<std::string> dims, pictures;
  bool has_pictures = false;
};

std::map<std::string, Preparation> ReadPreparations() {
  const std::string file = ShippedPath(kRows);
  std::map<std::string, Preparation> rows;
  for (const auto& [place, words] : KeptRows(ReadTextFile(file))) {
    Preparation row;
    const auto bar = std::ranges::find(words, "|");
    for (auto word = words.begin() + 1; word != bar; word += 2) {
      if (!words[0].ends_with(':') || *word != "--dim" || bar - word < 2)
        throw Error(file, place, *word, "must be PATH: --dim NAME=SIZE... | OPTION...");
      row.dims.push_back(word[1]);
    }
    row.has_pictures = bar != words.end();
    if (row.has_pictures) row.pictures.assign(bar + 1, words.end());
    rows.emplace(words[0].substr(0, words[0].size() - 1), std::move(row));
  }
  return rows;
}

/// Links to the models of the packages, and pictures.
void LinkPackages(const std::string& folder) {
  const PythonTools tools = FindPythonTools("zoo", "vta bench zoo");
  const std::vector<std::string> command = {tools.folder + "/bin/python", "-I", "-B",
                                            ShippedPath("tools/bench/zoo_files.py")};
  constexpr double kLimitS = 120;
  JsonProcess("model files", command, kLimitS).Ask(Json().Set("folder", folder));
}

std::vector<ZooModel> ModelsIn(const std::string& folder, const ZooCommand& options) {
  namespace fs = std::filesystem;
  const std::map<std::string, Preparation> rows = ReadPreparations();
  std::vector<ZooModel> models;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string file = at->path().string(),
                      name = at->path().lexically_relative(folder).string();
    const std::string extension = at->path().extension().string();
    if (extension != ".onnx" && extension != ".tflite") continue;
    std::error_code unread;  // of a link that leads nowhere, say
    if (!at->is_regular_file(unread)) continue;
    const auto is_named = [&](const std::string& part) { return name.find(part) != name.npos; };
    if (!options.only.empty() && std::ranges::none_of(options.only, is_named)) continue;
    ZooModel model{file, name, options.dims, {}, ""};
    for (const auto& [path, row] : rows) {
      if (!options.folder.empty() || !StrCat("/", name).ends_with("/" + path)) continue;
      model.dims.insert(model.dims.end(), row.dims.begin(), row.dims.end());
      model.preparation = row.pictures;
      if (row.has_pictures) model.pictures = StrCat(folder, "/", kPictures);
    }
    models.push_back(std::move(model));
  }
  if (failed) throw Error(folder, "", "", failed.message());
  if (models.empty())
    throw Error(folder, "models", "0", "must be *.onnx or *.tflite, in it or in folders of it");
  std::ranges::sort(models, {}, &ZooModel::name);
  return models;
}

const std::vector<std::string> kHead = {"model", "million MACs"},
                               kCpuHead = {"difference", "runtime's ms", "ms", "times faster",
                                           "bound %"},
                               kVtaHead = {"dB", "layers on VTA", "host MB", "at least", "cycles"};

std::vector<std::string> CpuCells(const ZooRow& row) {
  std::vector<std::string> cells(kCpuHead.size());
  if (row.cpu) {
    const ZooOnCpu& cpu = *row.cpu;
    const bool is_timed = cpu.runtime_ms > 0;
    cells = {cpu.differing == 0 ? "0" : fmt::format("{:.1e}", cpu.difference),
             is_timed ? fmt::format("{:.2f}", cpu.runtime_ms) : "", fmt::format("{:.2f}", cpu.ms),
             is_timed ? fmt::format("{:.2f}", cpu.runtime_ms / cpu.ms) : "", ""};
  }
  if (row.steps) cells.back() = PercentOfBound(*row.steps);
  return cells;
}

std::vector<std::string> VtaCells(const ZooRow& row) {
  if (!row.vta) return std::vector<std::string>(kVtaHead.size());
  const ZooOnVta& vta = *row.vta;
  return {vta.decibels ? fmt::format("{:.1f}", *vta.decibels) : "",
          StrCat(vta.on_vta, " of ", vta.layers),
          fmt::format("{:.2f}", static_cast<double>(vta.host_bytes) / 1e6),
          fmt::format("{:.2f}", static_cast<double>(vta.host_bound) / 1e6), WithCommas(vta.cycles)};
}

/// Of the models that were read, with the columns of what was measured.
std::string TableOf(const std::vector<ZooRow>& rows, const ZooOptions& measured) {
  TableRows cells;
  const auto add = [&](std::vector<std::string> row, const std::vector<std::string>& cpu,
                       const std::vector<std::string>& vta) {
    if (measured.on_cpu) row.insert(row.end(), cpu.begin(), cpu.end());
    if (measured.on_vta) row.insert(row.end(), vta.begin(), vta.end());
    cells.push_back(std::move(row));
  };
  add(kHead, kCpuHead, kVtaHead);
  for (const ZooRow& row : rows)
    if (row.macs)
      add({row.name, fmt::format("{:.1f}", static_cast<double>(*row.macs) / 1e6)}, CpuCells(row),
          VtaCells(row));
  std::vector<bool> right(cells[0].size(), true);
  right[0] = false;
  return FormatTable(cells, right);
}

/// What is not in the table, and why.
std::string ReasonsOf(const std::vector<ZooRow>& rows) {
  std::string text;
  const auto add = [&](const ZooRow& row, const char* what, const std::string& why) {
    if (!why.empty()) text += StrCat("- ", Visible(row.name), ": ", what, why, "\n");
  };
  for (const ZooRow& row : rows) {
    add(row, "", row.why_not_read);
    add(row, "not beside its runtime: ", row.why_no_cpu);
    add(row, "not on the accelerator: ", row.why_no_vta);
  }
  return text.empty() ? text : "\n" + text;
}

int BenchZoo(ZooCommand options) {
  options.measuring.cores = CoresFor(options.threads);
  const Temporary linked(NewTemporaryFolder("vta-zoo"));
  if (options.folder.empty()) LinkPackages(linked.path());
  const std::vector<ZooModel> models =
      ModelsIn(options.folder.empty() ? linked.path() : options.folder, options);
  const auto is_target = [&](const char* name) {
    return std::ranges::count(options.targets, name);
  };
  options.measuring.on_cpu = is_target(kCpu), options.measuring.on_vta = is_target(kVta);
  const OnCores pinned(options.measuring.cores);
  Progress progress("bench zoo");
  progress.At("what a core does at most");
  if (options.measuring.on_cpu) options.measuring.bounds = BoundsOfThisCpu(sim::CacheFolder());
  progress.At(Visible(models[0].name));
  const Temporary scratch(NewTemporaryFolder("vta-zoo"));  // of one that is stopped, too
  std::vector<ZooRow> rows;
  RunInProcesses(
      EachOf(std::ssize(models)), {.time = std::chrono::seconds(options.limit_s)},
      [&](int64_t job) {
        setenv("TMPDIR", scratch.path().c_str(), 1);
        return ToJson(MeasureModel(models[static_cast<size_t>(job)], options.measuring)).Dump(-1);
      },
      [&](int64_t job, const JobEnd& end) {
        const ZooModel& model = models[static_cast<size_t>(job)];
        if (end.failure.empty())
          rows.push_back(ReadZooRow(Json::Parse(end.said, model.name), model.name));
        else
          rows.push_back({.name = model.name, .why_not_read = end.failure});
        if (job + 1 < std::ssize(models))
          progress.At(StrCat(job + 2, " of ", models.size(), ", ",
                             Visible(models[static_cast<size_t>(job + 1)].name)));
        return true;
      });
  progress.Hide();
  if (options.json) {
    Json::Array all;
    for (const ZooRow& row : rows) all.push_back(ToJson(row));
    fmt::print("{}\n", HeadOf(kBenchZooDocument)
                           .Set("config", options.measuring.config)
                           .Set("models", std::move(all))
                           .Dump());
    return 0;
  }
  std::vector<std::pair<std::string, NetworkSteps>> steps;
  for (const ZooRow& row : rows)
    if (row.steps) steps.emplace_back(row.name, *row.steps);
  fmt::print("{}{}{}", TableOf(rows, options.measuring), ReasonsOf(rows), DearestText(steps));
  return 0;
}

}  // namespace

std::function<int()> AddBenchZoo(CLI::App& app) {
  auto options = std::make_shared<ZooCommand>();
  app.add_option("FOLDER", options->folder,
                 "of *.onnx and *.tflite, in it or in folders of it; without it the models of "
                 "packages of PyPI that tools/python.txt names");
  app.add_option("--only", options->only, "models whose path has this in it; may be repeated")
      ->allow_extra_args(false);
  AddDimTo(app, &options->dims);
  ReadsConfig(app.add_option("-c,--config", options->measuring.config,
                             "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  app.add_option("--target", options->targets,
                 "cpu, beside the runtime of a model's format, vta, in int8, or both")
      ->delimiter(',')
      ->check(OneOf({kCpu, kVta}))
      ->allow_extra_args(false)
      ->type_name("TARGETS");
  AddThreadsTo(app, &options->threads);
  app.add_option("--runs", options->measuring.runs,
                 "that are measured, of either side; of short ones more")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--limit", options->limit_s, "seconds for one model")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--json", options->json, "print for machines");
  return [options] { return BenchZoo(*options); };
}

}  // namespace vta::tools
