// Work that takes long: without the interpreter's lock, ended by what a signal raises, such as
// KeyboardInterrupt.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "isa/support/error.h"
#include "tools/vta/common/progress.h"

namespace vta::python {

/// So often what waits looks for signals.
inline constexpr std::chrono::milliseconds kLook{20};

/// What a signal's handler raises, where this is Python's main thread; else null. Without the
/// interpreter's lock.
std::exception_ptr RaisedBySignal();

/// Whether Stop was called, for work that has more to end than an exception can.
bool IsAskedToEnd(const tools::Progress& progress);

/// Does `work` on a stack that is large enough for a compiler whatever the thread's is. Where the
/// caller is Python's main thread and a signal's handler raises meanwhile, the progress is asked to
/// end and processes that the work waits for are ended; the exception is raised once the work has.
/// `what`: as Progress has it; without it there is none (null). `listener`: None, or called with
/// place, number and total of each At; what it raises ends the work.
/// Errors: those of `work`.
void DoWork(const std::string& what, nanobind::handle listener,
            const std::function<void(tools::Progress*)>& work);

/// The same, with a result.
template <typename F>
auto WithProgress(const std::string& what, nanobind::handle listener, F work) {
  decltype(std::optional(work(std::declval<tools::Progress*>()))) result;
  DoWork(what, listener, [&](tools::Progress* progress) { result.emplace(work(progress)); });
  return std::move(*result);
}

/// Without a progress, for what ends soon.
template <typename F>
auto OnLargeStack(F work) {
  return WithProgress("", nanobind::handle(), [&](tools::Progress*) { return work(); });
}

}  // namespace vta::python
