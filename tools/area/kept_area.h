// What `vta hw area --keep` found that designs take, kept in hw/synth/areas.jsonl: shipped configs,
// and those that predictions are fitted to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "tools/area/area.h"
#include "tools/timing/design.h"

namespace vta::tools {

struct KeptArea : KeptDesign {               // by RTL, package and script
  std::map<std::string, Resources> modules;  // of all instances, without the modules inside

  Resources takes() const;
  bool IsCurrent() const;  // of the RTL as it is
};
Json ToJson(const KeptArea& area);
/// Errors: throws Error naming the line that is none, and why.
std::vector<KeptArea> ParseAreas(std::string_view text, const std::string& file);
/// Those of the file, read once. Errors: those of the file.
const std::vector<KeptArea>& KeptAreas();

struct AreaEstimate {
  Resources resources;
  std::string yosys;
  bool is_current = false;  // of the RTL as it is
};
/// By the line of the same hardware on that part's family; nothing where there is none.
/// Errors: those of the file.
std::optional<AreaEstimate> AreaEstimateOf(const isa::Config& config, const Part& part);

/// Keeps what was found, in place of what was kept of the same hardware and family.
/// Errors: throws Error when the file cannot be written.
void KeepArea(const isa::Config& config, const Part& part, const std::vector<ModuleArea>& modules,
              const std::string& yosys);

}  // namespace vta::tools
