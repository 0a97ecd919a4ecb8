// Jobs in processes of their own: a job that crashes, or never ends, is one job less, and nothing
// else.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
};

/// Runs `work(job)` for each job of [0, jobs) in a process of its own, which shares what this one
/// has loaded; it must not print. `done` is called here, in the order in which they end; once it
/// returns false no other job begins, and those that run are ended. Processes end with this one.
/// Errors: throws Error where the system gives no process; what `work` throws is a failure.
void RunInProcesses(int64_t jobs, const ProcessLimits& limits,
                    const std::function<std::string(int64_t job)>& work,
                    const std::function<bool(int64_t job, const JobEnd& end)>& done);

}  // namespace vta::tools
