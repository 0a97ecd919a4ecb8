// Lines that say of each task of a search, when it is done, how quick its best candidate is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "compiler/tune/tuner.h"
#include "tools/vta/common/progress.h"

namespace vta::tools {

/// Of costs.
struct SearchUnit {
  std::string name;    // of several
  double seconds = 0;  // that one is
};
/// That of kernels.
inline const SearchUnit kNanoseconds = {"ns", 1e-9};

class SearchLines {
 public:
  /// Takes a line, with its end.
  using Say = std::function<void(const std::string&)>;
  /// Of so many tasks.
  SearchLines(SearchUnit unit, int64_t count, Progress* progress, Say say)
      : unit_(std::move(unit)), count_(count), progress_(*progress), say_(std::move(say)) {}

  /// Where the search is: `trials` are those that the task has in all.
  void Tell(const compiler::tune::Task& task, int64_t trials);
  /// Of the task that was told of last.
  void End();

 private:
  double Gops(const compiler::tune::Task& task, int64_t cost) const;
  std::string Line(const compiler::tune::Task& task, int64_t trials) const;

  const SearchUnit unit_;
  const int64_t count_;
  Progress& progress_;
  const Say say_;
  std::string workload_, line_;
  int64_t number_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace vta::tools
