#include "tools/timing/kept_clocks.h"

#include <cmath>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "isa/support/json.h"
#include "sim/rtl/build.h"
#include "tools/timing/estimates.h"

namespace vta::tools {
namespace {

constexpr char kClocks[] = "/hw/synth/clocks.jsonl";

KeptClock ReadClock(JsonReader& reader) {
  KeptClock clock{ReadDesign(reader), 0};
  clock.mhz = reader.Double("mhz");
  if (!(clock.mhz >= 1 && clock.mhz <= 2000)) throw reader.Fail("mhz", "must be 1 to 2000");
  return clock;
}

}  // namespace

Json ToJson(const KeptClock& clock) {
  return ToJson(static_cast<const KeptDesign&>(clock)).Set("mhz", std::round(10 * clock.mhz) / 10);
}

std::vector<KeptClock> ParseClocks(std::string_view text, const std::string& file) {
  return ParseDesigns(text, file, ReadClock);
}

const std::vector<KeptClock>& KeptClocks() {
  static const std::vector<KeptClock> clocks = [] {
    const std::string file = sim::HardwareSources() + kClocks;
    return ParseClocks(ReadTextFile(file), file);
  }();
  return clocks;
}

void KeepClock(const isa::Config& config, const Part& part, double mhz, const std::string& yosys) {
  const std::string sources = sim::HardwareSources();
  KeepDesign(sources + kClocks,
             KeptClock{{std::string(part.family), config, yosys,
                        Hex(DesignHash(config, part, sources), 16)},
                       mhz},
             ReadClock);
}

}  // namespace vta::tools
