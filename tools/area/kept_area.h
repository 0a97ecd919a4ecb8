// What `vta hw area` found that shipped configs take, kept in hw/synth/areas.txt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/config.h"
#include "tools/area/area.h"

namespace vta::tools {

/// One row.
struct KeptArea {
  std::string config, part;
  Resources resources;
  std::string yosys, design;  // its version; a hash of RTL, package and script, in hexadecimal
};
/// From rows "CONFIG PART LUT FF DSP BRAM YOSYS DESIGN"; '#' begins a comment.
/// Errors: throws Error naming the line that is no such row.
std::vector<KeptArea> ParseAreas(std::string_view text, const std::string& file);

struct AreaEstimate {
  Resources resources;
  std::string yosys;
  bool is_current = false;  // of the RTL as it is
};
/// By the row of the shipped config that is the same hardware on that part; nothing where there is
/// none. Errors: those of the file.
std::optional<AreaEstimate> AreaEstimateOf(const isa::Config& config, const Part& part);

/// Keeps what was found for a shipped config.
/// Errors: throws Error when the file cannot be written.
void KeepArea(const isa::Config& config, const Part& part, const Resources& resources,
              const std::string& yosys);

/// What the products of a config and its long ALU operations surely take of DSP blocks, and its
/// scratchpads of block RAM, on any Xilinx part.
Resources LeastResources(const isa::Config& config);

}  // namespace vta::tools
