// The command line of vta-run, the runner for boards.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session.h"
#include "tools/help/command_facts.h"
#include "tools/shared/encoding.h"
#include "tools/shared/native_options.h"

namespace vta::tools {

struct RunnerOptions {
  RunnerOptions();
  std::string package, engine;
  std::vector<std::string> inputs, outputs, states;
  Encoding encoding;
  std::string class_names;
  int64_t threads = 0, repeat = 1;
  std::string config;
  std::optional<std::string> timer;
  std::optional<int64_t> in_flight;
  double limit_s = 0;
  bool bisect = false, self_test = false;
  NativeOptions native;

  /// From now; never where there is no limit.
  runtime::Session::Deadline Deadline() const {
    return limit_s == 0 ? runtime::Session::Deadline::max()
                        : std::chrono::steady_clock::now() +
                              std::chrono::nanoseconds(static_cast<int64_t>(limit_s * 1e9));
  }
};

/// What vta-run declares.
CommandFacts RunnerFacts();

/// As RunProgram, of vta-run; `commit` as VersionText.
int RunRunner(int argc, const char* const* argv, const std::string& commit,
              const std::function<int(const RunnerOptions&)>& run);

}  // namespace vta::tools
