// What Yosys makes of a config's hardware: what it takes of a part, and the clock that it allows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isa/config.h"
#include "isa/support/temporary.h"
#include "tools/area/area.h"
#include "tools/timing/netlist.h"

namespace vta::tools {

/// Errors: throws Error where a shell does not find it; `hint`: behind that.
void RequireTool(const std::string& tool, const std::string& hint = "");

/// Runs hw/synth/SCRIPT on the package of a config; `arguments` come after source and package. What
/// it prints. Errors: throws Error where the tool is missing, and with what it says where it fails.
std::string RunScript(const std::string& tool, const std::string& script, const isa::Config& config,
                      const Temporary& scratch, const std::string& arguments);

/// Of the modules of the IP, the whole first.
struct CountedArea {
  std::vector<ModuleArea> modules;
  std::string yosys;  // its version
};
/// Takes a minute or two. Errors: as RunScript.
CountedArea CountArea(const isa::Config& config, const Part& part);

/// The flattened design, and the version of Yosys. Takes minutes. Errors: as RunScript.
struct Synthesised {
  Netlist netlist;
  std::string yosys;
};
Synthesised Synthesise(const isa::Config& config, const Part& part);

/// What the longest path allows, and with the error of that against it. Errors: as RunScript.
struct ClockReached {
  double mhz = 0, with_error_mhz = 0;
};
ClockReached EstimateClock(const isa::Config& config, const Part& part);

}  // namespace vta::tools
