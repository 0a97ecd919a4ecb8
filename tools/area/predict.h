// What a config takes of a part, predicted from designs that were synthesised.
#pragma once

#include <string>
#include <string_view>

#include "isa/config.h"
#include "tools/area/area.h"

namespace vta::tools {

struct AreaPrediction {
  Resources resources;  // whole lookup tables and flip-flops
  /// The largest distance of a prediction from Yosys' count of a shipped config of that family, as
  /// a share of it: none of those has a say in the prediction. DSP blocks and block RAM are
  /// counted.
  double lut_error = 0, ff_error = 0;
};

/// Lookup tables and flip-flops by terms fitted, module by module, to Yosys' counts of the designs
/// of that family in hw/synth/areas.jsonl, the shipped configs left out; memories, and DSP blocks,
/// by arithmetic. Families: "xc7", "xcup", "ecp5". Errors: those of the file.
Resources FittedResources(const isa::Config& config, std::string_view family = "xc7");
/// What Yosys counted, where that is kept of the same hardware; else fitted. Errors: as
/// AreaEstimateOf.
Resources ResourcesOf(const isa::Config& config);
/// Errors: as FittedResources.
AreaPrediction PredictArea(const isa::Config& config, const Part& part);

/// What is predicted beside what Yosys counted, where that is kept, and what the part offers.
/// Errors: as FittedResources.
std::string PredictionTable(const isa::Config& config, const Part& part);

/// What the products of a config and its long ALU operations surely take of DSP blocks, and its
/// scratchpads of block RAM, on any Xilinx part.
Resources LeastResources(const isa::Config& config);

}  // namespace vta::tools
