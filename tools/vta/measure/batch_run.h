// A batch of a search that has no GPU, measured: what comes of it is a log.
#pragma once

#include <string>

#include "tools/vta/common/engines.h"

namespace vta::tools {

/// Appends to `results` what each of the batch's candidates takes, and says so; what is there is
/// not measured again. Errors: as ReadBatch, LogWriter and GpuMeasurer; a candidate that fails is
/// no error.
void MeasureBatch(const std::string& batch, const std::string& results, const EngineOptions& engine,
                  double limit_s);

}  // namespace vta::tools
