#include "tools/timing/kept_clocks.h"

#include <cmath>

#include "compiler/tune/log.h"
#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "sim/rtl/build.h"
#include "tools/timing/design.h"
#include "tools/timing/estimates.h"

namespace vta::tools {
namespace {

constexpr char kClocks[] = "/hw/synth/clocks.jsonl";

KeptClock ReadClock(const Json& json, const std::string& place) {
  JsonReader reader(json, place);
  KeptClock clock;
  clock.family = reader.String("family");
  clock.mhz = reader.Double("mhz");
  if (!(clock.mhz >= 1 && clock.mhz <= 2000)) throw reader.Fail("mhz", "must be 1 to 2000");
  clock.yosys = reader.String("yosys");
  clock.design = reader.String("design");
  clock.config = isa::ParseConfig(reader.Any("config").Dump(-1), place);
  reader.Finish();
  return clock;
}

std::string LineOf(const KeptClock& clock) {
  return Json()
             .Set("family", clock.family)
             .Set("mhz", std::round(10 * clock.mhz) / 10)
             .Set("yosys", clock.yosys)
             .Set("design", clock.design)
             .Set("config", HardwareJson(clock.config))
             .Dump(-1) +
         "\n";
}

}  // namespace

std::vector<KeptClock> ParseClocks(std::string_view text, const std::string& file) {
  std::vector<KeptClock> clocks;
  for (const compiler::tune::Line& line : compiler::tune::LinesOf(text, file))
    clocks.push_back(ReadClock(Json::Parse(line.text, line.where), line.where));
  return clocks;
}

const std::vector<KeptClock>& KeptClocks() {
  static const std::vector<KeptClock> clocks = [] {
    const std::string file = sim::HardwareSources() + kClocks;
    return ParseClocks(ReadTextFile(file), file);
  }();
  return clocks;
}

void KeepClock(const isa::Config& config, const Part& part, double mhz, const std::string& yosys) {
  const std::string sources = sim::HardwareSources(), file = sources + kClocks;
  std::vector<KeptClock> clocks = ParseClocks(ReadTextFile(file), file);
  std::erase_if(clocks, [&](const KeptClock& clock) {
    return clock.family == part.family && IsSameHardware(clock.config, config);
  });
  clocks.push_back(
      {std::string(part.family), config, mhz, yosys, Hex(DesignHash(config, part, sources), 16)});
  std::string text;
  for (const KeptClock& clock : clocks) text += LineOf(clock);
  WriteFileAtomically(file, text);
}

}  // namespace vta::tools
