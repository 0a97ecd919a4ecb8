// The front once more: with schedules that are searched, until none of its points has others, and
// then on the RTL, and through synthesis where the space names a part.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/vta/common/session.h"
#include "tools/vta/explore/summary.h"

namespace vta::tools {

struct ConfirmOptions {
  int64_t effort = TuneOptions::kEffort;  // as of vta run
  int64_t on_rtl = 20;                    // most points of the front that run there
  int64_t jobs = 1;
  FarmSearch* farm = nullptr;          // as of SweepOptions
  std::function<void()> on_wait = {};  // as of ProcessLimits
};

/// Fills `exploration->confirmed`. `at` is told what is done.
/// Errors: throws Error naming a point that the RTL takes other cycles for, or that fails.
void Confirm(const ConfirmOptions& options, Exploration* exploration,
             const std::function<void(const std::string&)>& at);

}  // namespace vta::tools
