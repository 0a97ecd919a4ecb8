// vta hw lint|area: the RTL of a config under Verilator's lint, and its size after Yosys.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/temporary.h"
#include "sim/rtl/build.h"
#include "sim/rtl/shell.h"
#include "tools/vta/area.h"
#include "tools/vta/commands.h"
#include "tools/vta/options.h"
#include "tools/vta/progress.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

std::string ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "vta-hw-XXXXXX").string();
  if (!mkdtemp(name.data())) throw Error(name, "cannot create", "", std::strerror(errno));
  return name;
}

/// Runs hw/synth/SCRIPT on the package of a config; `arguments` come after source and package.
/// Errors: throws Error when the tool is missing, and with what it says when it fails.
std::string RunScript(const std::string& tool, const std::string& script, const isa::Config& config,
                      const Temporary& scratch, const std::string& arguments) {
  if (!sim::RunShell(StrCat("command -v ", tool, " >/dev/null 2>&1")))
    throw Error("vta hw", tool, "", "is not installed");
  const std::string sources = sim::HardwareSources(), package = scratch.path() + "/vta_pkg.sv",
                    log = scratch.path() + "/log";
  WriteFileAtomically(package, isa::SystemVerilogPackage(config));
  Progress progress(StrCat(tool, " on config ", config.name));
  const std::string command = StrCat("sh ", sim::ShellQuoted(StrCat(sources, "/hw/synth/", script)),
                                     " ", sim::ShellQuoted(sources), " ", sim::ShellQuoted(package),
                                     " ", arguments, " >", sim::ShellQuoted(log), " 2>&1");
  const bool good = sim::RunShell(command);
  std::string text = ReadTextFile(log);
  if (!good) throw Error(StrCat("config ", config.name), tool, "", "says", ":\n" + text);
  return text;
}

int Lint(const std::string& name) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Temporary scratch(ScratchFolder());
  RunScript("verilator", "lint.sh", config, scratch, "");
  std::printf("config %s: verilator -Wall has nothing to say\n", config.name.c_str());
  return 0;
}

int Area(const std::string& name, const std::string& part_name) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Part& part = FindPart(part_name);
  const Temporary scratch(ScratchFolder());
  const std::string out = scratch.path() + "/stat.json";
  RunScript("yosys", "area.sh", config, scratch, StrCat(part.family, " ", sim::ShellQuoted(out)));
  const Json stat = ParseStat(ReadTextFile(out), out);
  std::printf("%s", AreaTable(config, part, AreaOf(stat, "vta_core")).c_str());
  return 0;
}

}  // namespace

std::function<int()> AddHwCommand(CLI::App& app) {
  struct Options {
    std::string config = "default", part = "xc7z020";
    bool area = false;
  };
  auto options = std::make_shared<Options>();
  app.require_subcommand(1);
  CLI::App* lint = app.add_subcommand("lint", "check the RTL of a config with Verilator");
  CLI::App* area = app.add_subcommand("area", "LUT, FF, DSP and BRAM of each module, by Yosys");
  for (CLI::App* command : {lint, area})
    ReadsConfig(command->add_option("-c,--config", options->config,
                                    "accelerator variant: a shipped name or a file"))
        ->capture_default_str();
  area->add_option("--part", options->part, StrCat("one of ", Listed(PartNames())))
      ->check(OneOf(PartNames()))
      ->capture_default_str();
  area->callback([options] { options->area = true; });
  return [options] {
    return options->area ? Area(options->config, options->part) : Lint(options->config);
  };
}

}  // namespace vta::tools
