// A package on an engine, as vta.Session has it.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "python/src/arrays.h"
#include "python/src/package.h"
#include "tools/vta/common/session.h"

namespace vta::python {

/// Any number of threads may use it: one at a time is served.
class Session {
 public:
  /// `options` are those of the tool that choose an engine, and "threads".
  /// Errors: as the tool.
  Session(const std::shared_ptr<Package>& package, const nanobind::dict& options);
  /// Waits for what runs. In a process that was forked from its own it leaves all as it is.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// One inference: arrays by the names of inputs to arrays by those of outputs, in those of `out`
  /// where it has some. Errors: as runtime::Session; and throws Error naming the input or output
  /// that is not known, missing, or of another type or shape, or that the session is closed or
  /// another process's.
  nanobind::dict Run(const nanobind::dict& inputs, const nanobind::object& out,
                     std::optional<bool> profile, std::optional<double> limit_s);
  void Close();
  /// From any thread: while it is so, runs end soon, with an Error.
  void Stop(bool stops) { stops_ = stops; }
  bool is_closed() const { return closed_; }
  /// The JSON of the last run that was profiled. Errors: throws Error where there was none.
  std::string ReportJson();
  /// The same as the tool's table.
  std::string ReportTable(bool wide);
  const std::string& engine() const { return engine_.name; }

 private:
  struct Bound;
  class Turn;
  Bound Collect(const nanobind::dict& inputs, const nanobind::object& out) const;
  void RunBound(Bound& bound, bool profile, std::optional<double> limit_s);
  /// Runs what is bound. Errors: as runtime::Session; and throws what a signal's handler raises.
  void RunUnlessStopped(runtime::RunProfile* profile);
  tools::RunReport Report();
  void RequireUsable() const;

  const pid_t process_;
  tools::EngineOptions engine_;
  std::string file_;
  std::vector<isa::PackageTensor> inputs_, outputs_;
  std::unique_ptr<ArrayMaker> makes_outputs_;
  bool profiles_;  // where a run does not say
  std::atomic<bool> closed_ = false;
  std::atomic<bool> stops_ = false;
  std::atomic<std::thread::id> turn_ = {};  // whose it is
  std::timed_mutex mutex_;                  // taken without the interpreter's lock; of what follows
  std::unique_ptr<tools::EngineSession> session_;
  runtime::RunProfile profile_;
};

void BindSession(nanobind::module_& module);

}  // namespace vta::python
