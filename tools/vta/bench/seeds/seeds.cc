// vta bench seeds: tables of the documents that the project began with, on what is here.
#include "tools/vta/bench/seeds/seeds.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "isa/support/plural.h"
#include "isa/support/shipped.h"
#include "tools/report/table.h"
#include "tools/shared/document.h"
#include "tools/shared/output_files.h"
#include "tools/vta/bench/bench.h"
#include "tools/vta/bench/seeds/bounds.h"
#include "tools/vta/common/cpu/facts.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

struct SeedsKind {
  const char *name, *about;
  SeedsTable (*make)(const SeedsOptions&, Progress&);
};

constexpr SeedsKind kSeedsKinds[] = {
    {"networks", "networks by device, milliseconds an image", SeedsTimes},
    {"tasks", "the convolutions of ResNet-18 in float, on one core", SeedsTasks},
    {"depthwise", "the depthwise convolutions of MobileNet V1, on one core", SeedsDepthwise},
    {"ladder", "a layer of VGG-16 by more and more steps of a schedule", SeedsLadder},
    {"shared", "a product of matrices with shared memory and without, on GPUs", SeedsShared},
    {"precisions", "networks in float32 and with products in fp16, on GPUs", SeedsPrecisions},
    {"hiding", "convolutions with one context and with two virtual threads", SeedsHiding},
    {"heterogeneous", "ResNets with the first convolution on a board's CPU, the rest on VTA",
     SeedsHeterogeneous},
    {"fusion", "pairs of operators as one kernel and as two", SeedsFusion},
    {"layouts", "operators, steps, and what is laid out anew", SeedsLayouts},
    {"memory", "activations as planned beside the sum of all tensors", SeedsMemory},
    {"spaces", "choices of schedules, by task", SeedsSpaces},
    {"lines", "what is written for a device, beside kernels by hand", SeedsLines},
    {"tuned", "what a search finds beside the rule and beside chance", SeedsTuned},
    {"ablation", "what each part of a search gives", SeedsAblation},
};

constexpr char kSeedsConfig[] = "default";

struct SeedsCommand {
  std::vector<std::string> tables;
  SeedsOptions options;
  std::string config = kSeedsConfig, folder, ratios;
  bool check = false, require = false, json = false;
};

/// A table that was made.
struct SeedsMade {
  const SeedsKind* kind;
  SeedsTable table;
};

std::string TextOfCell(const SeedsCell& cell, int digits) {
  struct Printer {
    int digits;
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(const std::string& words) const { return words; }
    std::string operator()(int64_t count) const { return WithCommas(count); }
    std::string operator()(double number) const { return fmt::format("{:.{}f}", number, digits); }
  };
  return std::visit(Printer{digits}, cell);
}

Json JsonOfCell(const SeedsCell& cell) {
  struct Converter {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(const std::string& words) const { return words; }
    Json operator()(int64_t count) const { return count; }
    Json operator()(double number) const { return number; }
  };
  return std::visit(Converter{}, cell);
}

const char* WordOf(const SeedsClaim& claim) {
  if (!claim.holds) return " not decided: ";
  return *claim.holds ? " holds: " : " FAILS: ";
}

std::string SeedsInWords(const SeedsMade& made) {
  const SeedsTable& table = made.table;
  TableRows cells(1);
  std::vector<bool> right;
  for (const SeedsColumn& column : table.columns) cells[0].push_back(column.title);
  for (size_t i = 0; i < table.columns.size(); ++i)
    right.push_back(std::ranges::none_of(
        table.rows, [&](const auto& row) { return std::holds_alternative<std::string>(row[i]); }));
  for (const std::vector<SeedsCell>& row : table.rows) {
    std::vector<std::string>& line = cells.emplace_back();
    for (size_t i = 0; i < row.size(); ++i)
      line.push_back(TextOfCell(row[i], table.columns[i].digits));
  }
  std::string text = StrCat(made.kind->name, ": ", made.kind->about, "\n");
  if (!table.rows.empty()) text += FormatTable(cells, right);
  for (const SeedsAbsent& absent : table.absent)
    text += StrCat("not here: ", absent.what, ": ", absent.why, "\n");
  for (const std::string& note : table.notes) text += note + "\n";
  for (const SeedsClaim& claim : table.claims)
    text += StrCat("row ", claim.row, WordOf(claim), claim.text, "\n");
  return text;
}

Json SeedsJson(const SeedsMade& made) {
  const SeedsTable& table = made.table;
  Json::Array columns, rows, absent, notes, claims, ratios;
  for (const SeedsColumn& column : table.columns)
    columns.push_back(Json().Set("key", column.key).Set("title", column.title));
  for (const std::vector<SeedsCell>& row : table.rows) {
    Json object = Json::Object();
    for (size_t i = 0; i < row.size(); ++i)
      if (!std::holds_alternative<std::monostate>(row[i]))
        object.Set(table.columns[i].key, JsonOfCell(row[i]));
    rows.push_back(std::move(object));
  }
  for (const SeedsAbsent& one : table.absent)
    absent.push_back(Json().Set("what", one.what).Set("why", one.why));
  for (const std::string& note : table.notes) notes.emplace_back(note);
  for (const SeedsClaim& claim : table.claims) {
    Json object = Json().Set("row", claim.row).Set("text", claim.text);
    claims.push_back(claim.holds ? object.Set("holds", *claim.holds) : object);
  }
  for (const SeedsRatio& ratio : table.ratios)
    ratios.push_back(Json().Set("ratio", ratio.name).Set("value", ratio.value));
  return Json()
      .Set("table", made.kind->name)
      .Set("about", made.kind->about)
      .Set("columns", std::move(columns))
      .Set("rows", std::move(rows))
      .Set("absent", std::move(absent))
      .Set("notes", std::move(notes))
      .Set("claims", std::move(claims))
      .Set("ratios", std::move(ratios));
}

std::string SeedsDocument(std::span<const SeedsMade> all, const CpuFacts& cpu) {
  Json::Array tables;
  for (const SeedsMade& made : all) tables.push_back(SeedsJson(made));
  return HeadOf(kBenchSeedsDocument)
             .Set("cpu", cpu.name)
             .Set("cores", cpu.physical_cores)
             .Set("tables", std::move(tables))
             .Dump() +
         "\n";
}

/// Errors: throws Error naming table, row, and what does not hold, is not here or not decided.
void RequireSeeds(const SeedsMade& made, const SeedsCommand& command) {
  if (command.check)
    for (const SeedsClaim& claim : made.table.claims)
      if (claim.holds == false)
        throw Error(made.kind->name, StrCat("row ", claim.row), claim.text, "does not hold");
  if (!command.require) return;
  for (const SeedsAbsent& absent : made.table.absent)
    throw Error(made.kind->name, absent.what, absent.why, "is not here");
  for (const SeedsClaim& claim : made.table.claims)
    if (!claim.holds)
      throw Error(made.kind->name, StrCat("row ", claim.row), claim.text, "is not decided");
}

int BenchSeeds(const SeedsCommand& command) {
  std::error_code error;
  if (!command.folder.empty()) std::filesystem::create_directories(command.folder, error);
  if (error) throw Error(command.folder, "", "", "cannot be made: " + error.message());
  const SeedsBounds bounds(
      command.ratios.empty() ? ShippedPath("tools/bench/seeds_ratios.csv") : command.ratios,
      command.ratios.empty());
  const bool is_usual = command.options.networks.empty() && command.config == kSeedsConfig;
  Progress progress("bench seeds");
  const CpuFacts cpu = ThisCpu();
  std::vector<SeedsMade> all;
  for (const SeedsKind& kind : kSeedsKinds) {
    if (!command.tables.empty() && !std::ranges::count(command.tables, kind.name)) continue;
    progress.At(kind.name);
    SeedsMade& made = all.emplace_back(&kind, kind.make(command.options, progress));
    bounds.Hold(kind.name, is_usual, &made.table);
    progress.Hide();
    if (!command.json)
      fmt::print("{}{}", all.size() == 1 ? StrCat(cpu.name, "\n\n") : "\n", SeedsInWords(made));
    if (command.folder.empty()) continue;
    WriteFileAtomically(StrCat(command.folder, "/", kind.name, ".txt"),
                        StrCat(cpu.name, "\n\n", SeedsInWords(made)));
    WriteFileAtomically(StrCat(command.folder, "/", kind.name, ".json"),
                        SeedsDocument({&made, 1}, cpu));
  }
  if (command.json) fmt::print("{}", SeedsDocument(all, cpu));
  for (const SeedsMade& made : all) RequireSeeds(made, command);
  return 0;
}

}  // namespace

std::vector<std::string> SeedsNetworks(const SeedsOptions& options,
                                       const std::vector<std::string>& otherwise) {
  return options.networks.empty() ? otherwise : options.networks;
}

SeedsClaim ClaimOfAbsent(int64_t row, const std::string& network) {
  return {row, StrCat(network, " is not among the networks")};
}

std::function<int()> AddBenchSeeds(CLI::App& app) {
  auto command = std::make_shared<SeedsCommand>();
  std::vector<std::string> tables, networks;
  for (const SeedsKind& kind : kSeedsKinds) tables.emplace_back(kind.name);
  for (const auto& known : compiler::KnownModels()) networks.emplace_back(known.name);
  app.add_option("TABLE", command->tables, StrCat("of ", Listed(tables), "; all of them"))
      ->check(OneOf(tables));
  app.add_option("--network", command->options.networks,
                 StrCat("of ", Listed(networks), "; those that a table is of"))
      ->check(OneOf(networks));
  ReadsConfig(
      app.add_option("-c,--config", command->config,
                     "accelerator variant of hiding, layouts, memory, spaces and tuned: a shipped "
                     "name or a file"))
      ->capture_default_str();
  app.add_option("--runs", command->options.runs, "that are measured, of each time")
      ->check(IntegerFrom(2, 1'000'000))
      ->capture_default_str();
  app.add_option("--trials", command->options.trials, "of each search of tuned and ablation")
      ->check(IntegerFrom(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--check", command->check,
               "fail where a promise that a table decides does not hold");
  app.add_flag("--require", command->require,
               "fail where a device is not here, or a promise is not decided");
  ReadsFile(app.add_option("--ratios", command->ratios,
                           "bounds that the tables' ratios are held to, TABLE,RATIO,LEAST,MOST; "
                           "those of the last release"));
  WritesFolder(app.add_option("-o,--output", command->folder,
                              "also write each table there, as TABLE.txt and TABLE.json"));
  app.add_flag("--json", command->json, "print for machines");
  return [command, &app] {
    if (!command->folder.empty()) CheckFolder(command->folder);
    command->options.config = ConfigsBeside(app)(command->config);
    return BenchSeeds(*command);
  };
}

}  // namespace vta::tools
