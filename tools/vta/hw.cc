// vta hw lint|area: the RTL of a config under Verilator's lint, and its size after Yosys.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/rtl/build.h"
#include "tools/vta/area.h"
#include "tools/vta/commands.h"
#include "tools/vta/share.h"

namespace vta::tools {
namespace {

namespace fs = std::filesystem;

// A folder that goes with its owner.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "vta-hw-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error(name, "", "", "cannot be made");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs hw/synth/SCRIPT on the package of a config; `arguments` come after source and package.
/// Errors: throws Error when the tool is missing, and with what it says when it fails.
std::string RunScript(const std::string& tool, const std::string& script, const isa::Config& config,
                      const Scratch& scratch, const std::string& arguments) {
  if (std::system(StrCat("command -v ", tool, " >/dev/null 2>&1").c_str()) != 0)
    throw Error("vta hw", tool, "", "is not installed");
  const std::string sources = sim::HardwareSources(), package = scratch.path() + "/vta_pkg.sv",
                    log = scratch.path() + "/log";
  WriteFileAtomically(package, isa::SystemVerilogPackage(config));
  const std::string command = StrCat("sh ", sim::ShellQuoted(StrCat(sources, "/hw/synth/", script)),
                                     " ", sim::ShellQuoted(sources), " ", sim::ShellQuoted(package),
                                     " ", arguments, " >", sim::ShellQuoted(log), " 2>&1");
  const int status = std::system(command.c_str());
  std::string text = ReadTextFile(log);
  if (status != 0) throw Error(StrCat("config ", config.name), tool, "", StrCat("says:\n", text));
  return text;
}

int Lint(const std::string& name) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Scratch scratch;
  RunScript("verilator", "lint.sh", config, scratch, "");
  std::printf("config %s: verilator -Wall has nothing to say\n", config.name.c_str());
  return 0;
}

int Area(const std::string& name, const std::string& part_name) {
  const isa::Config config = FindConfig(name);
  isa::CheckHardware(config, name);
  const Part& part = FindPart(part_name);
  const Scratch scratch;
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
    command
        ->add_option("-c,--config", options->config,
                     "accelerator variant: a shipped name or a file")
        ->capture_default_str();
  area->add_option("--part", options->part, StrCat("one of ", PartNames()))->capture_default_str();
  area->callback([options] { options->area = true; });
  return [options] {
    return options->area ? Area(options->config, options->part) : Lint(options->config);
  };
}

}  // namespace vta::tools
