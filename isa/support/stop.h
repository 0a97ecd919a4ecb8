// How a run is ended before its end: by a limit of time, or because somebody asks.
#pragma once

#include <chrono>
#include <functional>

namespace vta {

/// While it lives, launches and sessions' runs of this thread end as at their limit once `asked`
/// returns true, which must be quick: it is called at every look at the clock. Of a kernel of the
/// CPU, a GPU or another machine it is the end that comes first.
class StopAsker {
 public:
  explicit StopAsker(std::function<bool()> asked);
  ~StopAsker();
  StopAsker(const StopAsker&) = delete;
  StopAsker& operator=(const StopAsker&) = delete;

 private:
  friend bool IsOver(std::chrono::steady_clock::time_point deadline);
  const std::function<bool()> asked_;
  const StopAsker* const outer_;
};

/// Whether what this thread runs is to stop. The last possible time is no deadline.
bool IsOver(std::chrono::steady_clock::time_point deadline);

/// That much later; none where the limit is longer than time is counted.
inline std::chrono::steady_clock::time_point DeadlineOf(std::chrono::steady_clock::time_point begin,
                                                        std::chrono::nanoseconds limit) {
  constexpr auto kNone = std::chrono::steady_clock::time_point::max();
  return limit > kNone - begin ? kNone : begin + limit;
}

}  // namespace vta
