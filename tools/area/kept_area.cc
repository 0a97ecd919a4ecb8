#include "tools/area/kept_area.h"

#include <utility>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "sim/rtl/build.h"

namespace vta::tools {
namespace {

constexpr char kAreas[] = "/hw/synth/areas.jsonl", kModules[] = "modules";

std::string DesignOf(const isa::Config& config, const std::string& sources) {
  return Hex(HashDesign(config, "area.sh", sources).value(), 16);
}

KeptArea ReadArea(JsonReader& reader) {
  KeptArea area{ReadDesign(reader), {}};
  const Json::Object* const modules = reader.Any(kModules).as_object();
  if (!modules) throw reader.Fail(kModules, "must be modules");
  for (const auto& [name, takes] : *modules) {
    JsonReader module(takes, reader.file(), StrCat(kModules, ".", name));
    area.modules[name] = ReadResources(module);
    module.Finish();
  }
  if (const Resources all = area.takes(); all.lut == 0 || all.ff == 0)
    throw reader.Fail(kModules, "must have lookup tables and flip-flops");
  return area;
}

}  // namespace

Resources KeptArea::takes() const {
  Resources sum;
  for (const auto& [name, takes] : modules) sum += takes;
  return sum;
}

bool KeptArea::IsCurrent() const { return design == DesignOf(config, sim::HardwareSources()); }

Json ToJson(const KeptArea& area) {
  Json modules;
  for (const auto& [name, takes] : area.modules) modules.Set(name, ToJson(takes));
  return ToJson(static_cast<const KeptDesign&>(area)).Set(kModules, std::move(modules));
}

std::vector<KeptArea> ParseAreas(std::string_view text, const std::string& file) {
  return ParseDesigns(text, file, ReadArea);
}

const std::vector<KeptArea>& KeptAreas() {
  static const std::vector<KeptArea> areas = [] {
    const std::string file = sim::HardwareSources() + kAreas;
    return ParseAreas(ReadTextFile(file), file);
  }();
  return areas;
}

std::optional<AreaEstimate> AreaEstimateOf(const isa::Config& config, const Part& part) {
  for (const KeptArea& area : KeptAreas())
    if (area.family == part.family && IsSameHardware(area.config, config))
      return AreaEstimate{area.takes(), area.yosys, area.IsCurrent()};
  return {};
}

void KeepArea(const isa::Config& config, const Part& part, const std::vector<ModuleArea>& modules,
              const std::string& yosys) {
  const std::string sources = sim::HardwareSources();
  KeptArea area{{std::string(part.family), config, yosys, DesignOf(config, sources)}, {}};
  for (const ModuleArea& module : modules)
    if (module.own != Resources()) area.modules[module.name] = module.own;
  KeepDesign(sources + kAreas, std::move(area), ReadArea);
}

}  // namespace vta::tools
