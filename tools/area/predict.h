// What a config takes of a part, predicted from designs that were synthesised.
#pragma once

#include <string>
#include <vector>

#include "isa/config.h"
#include "tools/area/area.h"

namespace vta::tools {

struct AreaPrediction {
  Resources resources;
  /// The largest distance of a prediction from Yosys' count of a shipped config, as a share of it.
  /// DSP blocks are counted, and block RAM by its bits: the least that it takes.
  double lut_error = 0, ff_error = 0;
};

/// Lookup tables and flip-flops by lines fitted to Yosys' counts of eight designs for xc7z020 that
/// differ in blocks, batch, requant and packed multipliers; other flags, banks, ports and the width
/// of the bus are as they were there. DSP blocks and block RAM as LeastResources has them.
Resources FittedResources(const isa::Config& config);
/// What Yosys counted, where a shipped config is the same hardware and that is kept; else fitted.
/// Errors: as AreaEstimateOf.
Resources ResourcesOf(const isa::Config& config);

/// Of families that predictions are fitted for.
std::vector<std::string> PredictableParts();

/// What is fitted, in whole numbers. Errors: throws Error for a part of a family that
/// no design was synthesised for.
AreaPrediction PredictArea(const isa::Config& config, const Part& part);

}  // namespace vta::tools
