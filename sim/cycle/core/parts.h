// Where the parts of a launch end, as soon as each has ended: what is told of the past is cut
// there.
#pragma once

#include <span>
#include <vector>

#include "isa/launch.h"
#include "isa/layout.h"
#include "sim/cycle/core/clock.h"

namespace vta::sim::cycle {

class Parts {
 public:
  /// Of a launch on this memory; one that asks for no parts is one.
  Parts(const isa::Layout& layout, const isa::LaunchRequest& launch, std::span<const uint8_t> dram);

  int64_t count() const { return std::ssize(last_); }
  /// Compute is through with an instruction in this cycle.
  void Retire(int64_t index, int64_t cycle) {
    if (index == next_) End(cycle + 1);
  }
  /// The cycles before which parts end that have ended: never the last one.
  std::span<const int64_t> ends() const { return ends_; }

  /// Calls `add` with each part in which cycles of [begin, end) lie, and those cycles: of the past,
  /// so that what lies behind the last end is of the part that runs.
  void Cut(int64_t begin, int64_t end, const auto& add) const {
    size_t part = ends_.size();
    for (; part > 0 && ends_[part - 1] > begin; --part) {
    }
    for (; begin < end; ++part) {
      const int64_t upto = part < ends_.size() ? std::min(end, ends_[part]) : end;
      if (begin < upto) add(part, begin, upto);
      begin = std::max(begin, upto);
    }
  }

 private:
  void End(int64_t end);

  std::vector<int64_t> last_;  // of each part: its last instruction of compute, or none
  std::vector<int64_t> ends_;
  int64_t next_ = kNone;  // the instruction whose end is that of the part that runs
  static constexpr int64_t kNone = -1;
};

}  // namespace vta::sim::cycle
