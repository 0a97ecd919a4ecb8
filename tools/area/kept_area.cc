#include "tools/area/kept_area.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/support/error.h"
#include "isa/support/file.h"
#include "sim/rtl/build.h"
#include "tools/timing/design.h"
#include "tools/vta/common/configs.h"

namespace vta::tools {
namespace {

constexpr char kAreas[] = "/hw/synth/areas.txt";

std::string DesignOf(const isa::Config& config, const std::string& sources) {
  return Hex(HashDesign(config, "area.sh", sources).value(), 16);
}

bool ParseCount(const std::string& word, double& count) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  return error == std::errc() && stop == word.data() + word.size() && count >= 0 && count < 1e9;
}

}  // namespace

std::vector<KeptArea> ParseAreas(std::string_view text, const std::string& file) {
  std::vector<KeptArea> rows;
  for (const auto& [place, words] : KeptRows(text)) {
    KeptArea row;
    Resources& has = row.resources;
    if (words.size() != 8 || !ParseCount(words[2], has.lut) || !ParseCount(words[3], has.ff) ||
        !ParseCount(words[4], has.dsp) || !ParseCount(words[5], has.bram))
      throw Error(file, place, "", "must be CONFIG PART LUT FF DSP BRAM YOSYS DESIGN");
    row.config = words[0];
    row.part = words[1];
    row.yosys = words[6];
    row.design = words[7];
    rows.push_back(row);
  }
  return rows;
}

std::optional<AreaEstimate> AreaEstimateOf(const isa::Config& config, const Part& part) {
  const std::string sources = sim::HardwareSources(), file = sources + kAreas;
  for (const KeptArea& row : ParseAreas(ReadTextFile(file), file))
    if (row.part == part.name && IsSameHardware(FindConfig(row.config), config))
      return AreaEstimate{row.resources, row.yosys, row.design == DesignOf(config, sources)};
  return {};
}

void KeepArea(const isa::Config& config, const Part& part, const Resources& resources,
              const std::string& yosys) {
  const std::string sources = sim::HardwareSources(), file = sources + kAreas;
  const std::string row = fmt::format("{} {} {:.0f} {:.0f} {:.0f} {:.1f} {} {}\n", config.name,
                                      part.name, resources.lut, resources.ff, resources.dsp,
                                      resources.bram, yosys, DesignOf(config, sources));
  constexpr size_t kKeys = 2;
  WriteFileAtomically(file, WithRow(ReadTextFile(file), row, kKeys));
}

Resources LeastResources(const isa::Config& config) {
  const isa::Arch& arch = config.arch;
  const auto products = static_cast<double>(config.macs_per_cycle());
  const double products_of_a_block[] = {1, 2, 0};  // by uarch.multiplier: dsp, packed, lut
  const double packed = products_of_a_block[config.uarch.multiplier];
  // A factor of 32 bits is four products of halves, one of 16 two.
  const bool has_wide_factor = arch.mul || (arch.requant && arch.requant_multiplier_bits == 32);
  const double blocks_of_a_lane = has_wide_factor ? 4 : arch.requant ? 2 : 0;
  constexpr double kBlockBits = 36 * 1024;
  return {.dsp = (packed > 0 ? products / packed : 0) +
                 blocks_of_a_lane * static_cast<double>(arch.batch * arch.block_out),
          .bram = static_cast<double>(ScratchpadBytes(config)) * 8 / kBlockBits};
}

}  // namespace vta::tools
