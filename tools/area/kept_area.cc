#include "tools/area/kept_area.h"

#include <algorithm>
#include <utility>

#include "compiler/tune/log.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "sim/rtl/build.h"
#include "tools/timing/design.h"

namespace vta::tools {
namespace {

constexpr char kAreas[] = "/hw/synth/areas.jsonl", kModules[] = "modules";

std::string DesignOf(const isa::Config& config, const std::string& sources) {
  return Hex(HashDesign(config, "area.sh", sources).value(), 16);
}

KeptArea ReadArea(const Json& json, const std::string& place) {
  JsonReader reader(json, place);
  KeptArea area;
  area.family = reader.String("family");
  area.yosys = reader.String("yosys");
  area.design = reader.String("design");
  area.config = isa::ParseConfig(reader.Any("config").Dump(-1), place);
  const Json::Object* const modules = reader.Any(kModules).as_object();
  if (!modules) throw reader.Fail(kModules, "must be modules");
  for (const auto& [name, takes] : *modules) {
    JsonReader module(takes, place, StrCat(kModules, ".", name));
    area.modules[name] = ReadResources(module);
    module.Finish();
  }
  if (const Resources all = area.takes(); all.lut == 0 || all.ff == 0)
    throw reader.Fail(kModules, "must have lookup tables and flip-flops");
  reader.Finish();
  return area;
}

std::string LineOf(const KeptArea& area) {
  Json modules;
  for (const auto& [name, takes] : area.modules) modules.Set(name, ToJson(takes));
  return Json()
      .Set("family", area.family)
      .Set("yosys", area.yosys)
      .Set("design", area.design)
      .Set("config", HardwareJson(area.config))
      .Set(kModules, std::move(modules))
      .Dump(-1);
}

}  // namespace

Resources KeptArea::takes() const {
  Resources sum;
  for (const auto& [name, takes] : modules) sum += takes;
  return sum;
}

std::vector<KeptArea> ParseAreas(std::string_view text, const std::string& file) {
  std::vector<KeptArea> areas;
  for (const compiler::tune::Line& line : compiler::tune::LinesOf(text, file))
    areas.push_back(ReadArea(Json::Parse(line.text, line.where), line.where));
  return areas;
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
      return AreaEstimate{area.takes(), area.yosys,
                          area.design == DesignOf(config, sim::HardwareSources())};
  return {};
}

void KeepArea(const isa::Config& config, const Part& part, const std::vector<ModuleArea>& modules,
              const std::string& yosys) {
  const std::string sources = sim::HardwareSources(), file = sources + kAreas;
  std::vector<KeptArea> areas = ParseAreas(ReadTextFile(file), file);
  std::erase_if(areas, [&](const KeptArea& area) {
    return area.family == part.family && IsSameHardware(area.config, config);
  });
  KeptArea& area = areas.emplace_back(
      KeptArea{std::string(part.family), config, {}, yosys, DesignOf(config, sources)});
  for (const ModuleArea& module : modules)
    if (module.own != Resources()) area.modules[module.name] = module.own;
  std::string text;
  for (const KeptArea& line : areas) text += LineOf(line) + "\n";
  WriteFileAtomically(file, text);
}

}  // namespace vta::tools
