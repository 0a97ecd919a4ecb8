// vta isa: the files that are generated from the spec for a config.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "isa/gen/c_header.h"
#include "isa/gen/config_table.h"
#include "isa/gen/manual.h"
#include "isa/gen/published.h"
#include "isa/gen/serial.h"
#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "tools/explore/space_schema.h"
#include "tools/timing/estimates.h"
#include "tools/vta/commands.h"
#include "tools/vta/common/configs.h"
#include "tools/vta/common/options.h"

namespace vta::tools {
namespace {

std::string Hashes(const isa::Config& config) {
  return StrCat("arch   ", Hex(isa::ArchHash(config), 16), "\ntiming ",
                Hex(isa::TimingHash(config), 16), "\n");
}

std::string Configs(const isa::Config&) {
  std::vector<isa::Config> configs;
  std::string above;
  for (const std::string& name : ShippedConfigs()) {
    configs.push_back(FindConfig(name));
    const std::optional<ClockEstimate> estimate = EstimateOf(configs.back());
    if (estimate && estimate->IsExceeded())
      above += StrCat(above.empty() ? "" : ", ", "`", name, "`");
  }
  if (!above.empty())
    above = StrCat(
        "\nNamed above what the hardware was found to reach ([by how "
        "much](../hw/README.md#pipeline)): "
        "clock and peak of ",
        above, ".\n");
  return isa::ConfigTable(configs) + above;
}

std::string Published(const isa::Config&) { return isa::PublishedPage(); }

std::string Schema(const isa::Config&) { return SpaceSchema().Dump() + "\n"; }

std::string Serial(const isa::Config&) { return isa::SerialPackage(); }

struct Format {
  std::string_view option;
  std::string_view summary;
  std::string (*write)(const isa::Config&);
  // Where the facts stand, and what goes around the words that say so; nullptr: no comments.
  const char* source;
  const char* comment_begin;
  const char* comment_end;
};
constexpr Format kFormats[] = {
    {"--manual", "the ISA manual, in Markdown (default)", isa::Manual, "isa/spec", "<!-- ", " -->"},
    {"--sv", "the SystemVerilog package", isa::SystemVerilogPackage, "isa/spec", "// ", ""},
    {"--c", "a C header for boards", isa::CHeader, "isa/spec", "/* ", " */"},
    {"--json", "the config with every key", isa::ConfigToJson, nullptr, nullptr, nullptr},
    {"--schema", "the JSON Schema of config files, and of spaces for vta explore", Schema, nullptr,
     nullptr, nullptr},
    {"--configs", "the table of the shipped variants, in Markdown", Configs, "isa/configs", "<!-- ",
     " -->"},
    {"--published", "what published executors agree on, in Markdown", Published,
     "isa/spec/published.h", "<!-- ", " -->"},
    {"--serial", "the SystemVerilog package of the serial line's protocol", Serial,
     "isa/spec/serial.h", "// ", ""},
    {"--hash", "the hashes that packages and hardware are compared by", Hashes, nullptr, nullptr,
     nullptr},
};

}  // namespace

std::function<int()> AddIsaCommand(CLI::App& app) {
  struct Options {
    std::string config = "default";
    const Format* format = &kFormats[0];
  };
  auto options = std::make_shared<Options>();
  ReadsConfig(app.add_option("-c,--config", options->config,
                             "accelerator variant: a shipped name or a file"))
      ->capture_default_str();
  CLI::Option_group* group = app.add_option_group("what to print");
  group->require_option(0, 1);
  group->option_defaults()->group("What to print");
  for (const Format& format : kFormats)
    group->add_flag_callback(
        std::string(format.option), [options, &format] { options->format = &format; },
        std::string(format.summary));
  return [options] {
    const Format& format = *options->format;
    std::string text = format.write(FindConfig(options->config));
    if (format.comment_begin)
      text =
          StrCat(format.comment_begin, "Generated from ", format.source, ", do not edit: vta isa ",
                 format.option, " -c ", options->config, format.comment_end, "\n", text);
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

}  // namespace vta::tools
