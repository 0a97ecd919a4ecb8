// A report of each point of the front, as `vta run --html` writes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/vta/explore/summary.h"

namespace vta::tools {

struct ReportsOptions {
  int64_t most = 20;   // points of the front
  std::string folder;  // of the results; configs are in its front/
  std::string energy;  // as vta run has it
  int64_t jobs = 1;
  std::function<void()> on_wait = {};  // as of ProcessLimits
};

/// Writes them into front/ and fills `exploration->reports`. `at` is told what is done. A run that
/// fails has no report, and is warned of.
void WriteReports(const ReportsOptions& options, const std::vector<PointRow>& rows,
                  Exploration* exploration, const std::function<void(const std::string&)>& at);

}  // namespace vta::tools
