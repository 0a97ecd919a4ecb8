// vta model NAME -o F.onnx | --table [NAME...]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "compiler/models/models.h"
#include "isa/support/error.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/network_launches.h"
#include "tools/vta/common/options.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {
namespace {

/// Where the networks run, all or those that are named, in Markdown.
std::string Table(const isa::Config& config, const std::vector<std::string>& names) {
  std::string table = StrCat(
      "<!-- Generated from compiler/models, do not edit: vta model --table -->\n"
      "# The networks of `vta model`\n\nWith int8 activations, compiled for `",
      config.name,
      "`. MACs are of the networks as they state them; the CPU's steps convert, move or lay out "
      "data, or compute what the accelerator cannot.\n\n"
      "| network | what | MACs, million | on the accelerator | its programs | CPU steps |\n"
      "| --- | --- | ---: | ---: | ---: | ---: |\n");
  Progress progress("model --table");
  for (const compiler::ModelInfo& known : compiler::KnownModels()) {
    if (!names.empty() && std::ranges::find(names, known.name) == names.end()) continue;
    const isa::Package package = PackageOf(known.name, config);
    int64_t macs = 0, on_vta = 0, programs = 0;
    for (const isa::PackageStep& step : package.steps) {
      const bool program = step.kind == isa::PackageStep::Kind::kProgram;
      macs += step.facts.macs;
      on_vta += program ? step.facts.macs : 0;
      programs += program;
    }
    table += fmt::format("| `{}` | {} | {:.1f} | {:.1f} % | {} | {} |\n", known.name, known.summary,
                         static_cast<double>(macs) / 1e6,
                         100.0 * static_cast<double>(on_vta) / static_cast<double>(macs), programs,
                         std::ssize(package.steps) - programs);
  }
  return table;
}

}  // namespace

std::function<int()> AddModelCommand(CLI::App& app) {
  struct Options {
    std::vector<std::string> names;
    std::string path, type = compiler::kModelTypes[0].name;
    std::string config = "default";
    uint64_t seed = 1;
    int64_t batch = 1;
    bool table = false;
  };
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const auto& known : compiler::KnownModels()) names.emplace_back(known.name);
  CLI::App* what = app.add_option_group("what to write", "--output or --table");
  what->require_option(1);
  CLI::Option* output =
      WritesFile(what->add_option("-o,--output", options->path, "the ONNX file to write"));
  CLI::Option* table = what->add_flag("--table", options->table,
                                      "print where the networks run instead, in Markdown: all, or "
                                      "those named, are compiled");
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant of the table: a shipped name or a file"))
      ->needs(table)
      ->capture_default_str();
  std::vector<std::string> types;
  for (const auto& known : compiler::kModelTypes) types.emplace_back(known.name);
  app.add_option("--type", options->type,
                 StrCat("what it computes in: ", Listed(types),
                        "; int8 and uint8 are the types of activations, of weights int8"))
      ->check(OneOf(types))
      ->needs(output)
      ->capture_default_str();
  app.add_option("--seed", options->seed, "seed of the weights")
      ->check(Unsigned64("an integer"))
      ->needs(output)
      ->capture_default_str();
  app.add_option("--batch", options->batch, "images of an inference")
      ->check(IntegerFrom(1, 1024))
      ->needs(output)
      ->capture_default_str();
  CLI::Option* name =
      app.add_option("NAME", options->names, StrCat("one of ", Listed(names)))->check(OneOf(names));
  output->needs(name);
  return [options] {
    if (options->table) {
      std::fputs(Table(FindConfig(options->config), options->names).c_str(), stdout);
      return 0;
    }
    if (options->names.size() > 1)
      throw UsageError("NAME", "", options->names[1],
                       "--output takes one network; --table takes several");
    const auto* type =
        std::ranges::find(compiler::kModelTypes, options->type, &compiler::ModelTypeInfo::name);
    compiler::BuildModel(options->names[0], options->seed, options->path, type->type,
                         options->batch);
    return 0;
  };
}

}  // namespace vta::tools
