// Jobs in processes beside this one: a job that crashes, or never ends, is one job less, and
// nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace vta::tools {

/// What became of a job: what it said, or why it could not.
struct JobEnd {
  std::string said;
  std::string failure;  // "" for none: "ended by SIGSEGV", "took more than 60 s"
};

struct ProcessLimits {
  int64_t at_once = 1;
  std::chrono::milliseconds time = std::chrono::minutes(10);  // of a job
  /// Called many times a second; what it throws ends the jobs that run.
  std::function<void()> on_wait = {};
};

/// The job that begins next, as long as there is one: asked where the jobs are given out, when
/// there is room for one.
using NextJob = std::function<std::optional<int64_t>()>;
/// Those of [0, jobs), in order.
NextJob EachOf(int64_t jobs);

/// Runs `work(job)` for each job of `next` in a process beside this one, which shares what this one
/// has loaded when the process begins; it must not print. A process does one job after the other
/// for as long as they end well. `done` is called here, in the order in which they end; once it
/// returns false no other job begins, and those that run are ended. Processes end with this one.
/// Errors: throws Error where the system gives no process; what `work` throws is a failure.
void RunInProcesses(const NextJob& next, const ProcessLimits& limits,
                    const std::function<std::string(int64_t job)>& work,
                    const std::function<bool(int64_t job, const JobEnd& end)>& done);

}  // namespace vta::tools
