// The front once more, with schedules that are searched, and on the RTL.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/vta/common/session.h"
#include "tools/vta/explore/summary.h"

namespace vta::tools {

struct ConfirmOptions {
  int64_t effort = TuneOptions::kEffort;  // as of vta run
  int64_t on_rtl = 20;                    // of the front, the first so many
  int64_t jobs = 1;
};

/// Of the rows that are on the front. `at` is told what is done, one of how many.
/// Errors: throws Error naming a point that the RTL takes other cycles for, or that fails.
Confirmed Confirm(const Workload& workload, const std::vector<PointRow>& rows,
                  const ConfirmOptions& options,
                  const std::function<void(const std::string&, int64_t, int64_t)>& at);

}  // namespace vta::tools
