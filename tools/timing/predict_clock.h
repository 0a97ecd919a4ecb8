// The clock that a config would be estimated to reach, predicted from designs that were.
#pragma once

#include "isa/config.h"
#include "tools/area/area.h"

namespace vta::tools {

struct ClockPrediction {
  double mhz = 0;             // that the longest path would allow
  double with_error_mhz = 0;  // with the error of estimates against it (TimingError)
  /// The largest distance of a prediction from the estimate of a shipped config of that family, as
  /// a share of it: none of those has a say in the prediction.
  double error = 0;
};

/// By terms fitted to the designs of the part's family in hw/synth/clocks.jsonl.
/// Errors: those of that file, and of hw/synth/estimates.txt.
ClockPrediction PredictClock(const isa::Config& config, const Part& part);

}  // namespace vta::tools
