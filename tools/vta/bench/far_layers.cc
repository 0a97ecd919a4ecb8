#include "tools/vta/bench/far_layers.h"

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/plural.h"
#include "tools/report/report.h"
#include "tools/report/why.h"

namespace vta::tools {

void AppendFarLayers(const NetworkLaunches::Launch& launch, const isa::LaunchResult& result,
                     std::vector<FarLayer>& far) {
  const bool several = launch.layers.size() > 1;
  VTA_CHECK(!several || result.parts.size() == launch.layers.size(), launch.layer);
  for (size_t i = 0; i < launch.layers.size(); ++i) {
    const auto& [name, facts] = launch.layers[i];
    const isa::Time& time = several ? result.parts[i].time : *result.counters.time;
    const isa::Causes& causes =
        several ? result.parts[i].causes.value() : result.counters.causes.value();
    if (IsFarFromBound(time.cycles, facts.bounds->machine))
      far.push_back({name, facts, time.cycles, BeyondText(causes, facts.bounds->machine)});
  }
}

std::string FarRule() {
  return fmt::format("{:.0f} %, or {} cycles of a layer that takes less than {}",
                     100 * kFarFromBound, WithCommas(kShortFarCycles), WithCommas(kShortLayer));
}

Json ToJson(const std::vector<FarLayer>& far) {
  Json::Array list;
  for (const FarLayer& layer : far) {
    Json json = Json()
                    .Set("name", layer.name)
                    .Set("op", layer.facts.op)
                    .Set("shape", layer.facts.shape)
                    .Set("cycles", layer.cycles)
                    .Set("bound_ideal", layer.facts.bounds->ideal)
                    .Set("bound_machine", layer.facts.bounds->machine);
    if (!layer.lost_to.empty()) json.Set("lost_to", layer.lost_to);
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<std::string> FarColumns() {
  return {"network", "config", "layer", "shape", "cycles", "bound", "above", "above %", "lost to"};
}

std::vector<std::string> CellsOf(const FarLayer& layer) {
  return {layer.name,
          layer.facts.shape,
          WithCommas(layer.cycles),
          WithCommas(layer.facts.bounds->machine),
          WithCommas(layer.above()),
          fmt::format("{:.1f}", 100.0 * static_cast<double>(layer.above()) /
                                    static_cast<double>(layer.facts.bounds->machine)),
          layer.lost_to};
}

}  // namespace vta::tools
