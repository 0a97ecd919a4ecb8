#include "tools/vta/common/synthesis.h"

#include <sstream>

#include "isa/gen/systemverilog.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "sim/build/shell.h"
#include "sim/rtl/build.h"
#include "tools/timing/calibration.h"
#include "tools/timing/delays.h"
#include "tools/timing/graph.h"
#include "tools/timing/paths.h"

namespace vta::tools {
namespace {

constexpr char kYosys[] = "yosys";

// From what a script prints last, "Yosys 0.23 (git sha1 ...)".
std::string YosysVersion(const std::string& log) {
  std::istringstream lines(log);
  std::string last, name, version;
  for (std::string line; std::getline(lines, line);) last = line;
  std::istringstream words(last);
  words >> name >> version;
  if (name != "Yosys" || version.empty()) throw Error(kYosys, "-V", last, "must be Yosys VERSION");
  return version;
}

}  // namespace

void RequireTool(const std::string& tool, const std::string& hint) {
  if (!sim::RunShell(StrCat("command -v ", tool, " >/dev/null 2>&1")))
    throw Error("vta hw", tool, "", "is not installed" + hint);
}

std::string RunScript(const std::string& tool, const std::string& script, const isa::Config& config,
                      const Temporary& scratch, const std::string& arguments) {
  RequireTool(tool);
  const std::string sources = sim::HardwareSources(), package = scratch.path() + "/vta_pkg.sv",
                    log = scratch.path() + "/log";
  WriteFileAtomically(package, isa::SystemVerilogPackage(config));
  const std::string command = StrCat("sh ", sim::ShellQuoted(StrCat(sources, "/hw/synth/", script)),
                                     " ", sim::ShellQuoted(sources), " ", sim::ShellQuoted(package),
                                     " ", arguments, " >", sim::ShellQuoted(log), " 2>&1");
  const bool good = sim::RunShell(command);
  std::string text = ReadTextFile(log);
  if (!good) throw Error(StrCat("config ", config.name), tool, "", "says", ":\n" + text);
  return text;
}

CountedArea CountArea(const isa::Config& config, const Part& part) {
  const Temporary scratch(NewTemporaryFolder("vta-hw"));
  const std::string out = scratch.path() + "/stat.json";
  const std::string log = RunScript(kYosys, "area.sh", config, scratch,
                                    StrCat(part.family, " ", sim::ShellQuoted(out)));
  return {AreaOf(ParseStat(ReadTextFile(out), out), "vta_ip"), YosysVersion(log)};
}

Synthesised Synthesise(const isa::Config& config, const Part& part) {
  const Temporary scratch(NewTemporaryFolder("vta-hw"));
  const std::string made = scratch.path() + "/netlist.json";
  const std::string log = RunScript(kYosys, "timing.sh", config, scratch,
                                    StrCat(part.family, " ", sim::ShellQuoted(made)));
  return {ReadNetlist(Json::Parse(ReadTextFile(made), made), made), YosysVersion(log)};
}

ClockReached EstimateClock(const isa::Config& config, const Part& part) {
  const Netlist netlist = Synthesise(config, part).netlist;
  const std::vector<TimingPath> paths =
      LongestPaths(BuildTimingGraph(netlist, FindDelays(part.family)), 1);
  if (paths.empty())
    throw Error(StrCat("config ", config.name), "", "", "has no path from register to register");
  const double mhz = 1000 / paths.front().ns;
  return {mhz, mhz / (1 + TimingError(CalibrationPoints()))};
}

}  // namespace vta::tools
