// The layers of a network that the compiler leaves far from their machine bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/launch.h"
#include "isa/package.h"
#include "isa/support/json.h"
#include "tools/vta/common/network_launches.h"

namespace vta::tools {

struct FarLayer {
  std::string name;
  isa::LayerFacts facts;  // with bounds
  int64_t cycles = 0;
  std::string lost_to;  // most of the cycles above the bound; empty where nothing stands out

  int64_t above() const { return cycles - facts.bounds->machine; }
};

/// Those of a launch, as IsFarFromBound has it. Layers of a launch have the cycles of its parts.
/// Errors: aborts where the result lacks causes, of the parts where the layers are several.
void AppendFarLayers(const NetworkLaunches::Launch& launch, const isa::LaunchResult& result,
                     std::vector<FarLayer>& far);

/// "4 %, or 1,600 cycles of a layer that takes less than 40,000".
std::string FarRule();

Json ToJson(const std::vector<FarLayer>& far);

/// Of a table whose first two columns say which network and config.
std::vector<std::string> FarColumns();
/// From the third on.
std::vector<std::string> CellsOf(const FarLayer& layer);

}  // namespace vta::tools
