// The order that tokens force: a vector clock over the three modules, advanced instruction by
// instruction, and the most tokens that a queue can hold under it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "isa/check/steps.h"

namespace vta::isa {

/// Of each module, how many of its first instructions are surely done.
struct VectorClock {
  std::array<uint32_t, kModules> done = {};

  uint32_t operator[](Module module) const { return done[static_cast<int>(module)]; }
  uint32_t& operator[](Module module) { return done[static_cast<int>(module)]; }
  void Join(const VectorClock& other) {
    for (int m = 0; m < kModules; ++m) done[m] = std::max(done[m], other.done[m]);
  }
};

/// Fed with the instructions in an order in which they can run.
class HappensBefore {
 public:
  /// What is done when the step starts, after its pops. The k-th pop of a queue takes its k-th
  /// push.
  VectorClock Start(const Step& step);
  /// Ends the step that started with this clock.
  void End(const Step& step, VectorClock clock);

  /// The most tokens a queue can hold in any order of events.
  const std::array<int64_t, kQueues>& occupancy() const { return occupancy_; }
  std::array<int64_t, kQueues> left_over() const;

 private:
  std::array<VectorClock, kModules> last_ = {};                // after each module's last step
  std::array<std::vector<VectorClock>, kQueues> pushed_ = {};  // the pusher's clock, push by push
  std::array<int64_t, kQueues> popped_ = {};
  /// [q][n]: how many pops of q the first n instructions of its consumer make.
  std::array<std::vector<uint32_t>, kQueues> pops_by_ = {{{0}, {0}, {0}, {0}}};
  std::array<int64_t, kQueues> occupancy_ = {};
};

}  // namespace vta::isa
