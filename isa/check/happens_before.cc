#include "isa/check/happens_before.h"

namespace vta::isa {

VectorClock HappensBefore::Start(const Step& step) {
  VectorClock clock = last_[static_cast<int>(step.module)];
  ForEachPop(step, [&](Queue queue) {
    const int q = static_cast<int>(queue);
    clock.Join(pushed_[q][popped_[q]++]);
  });
  for (int q = 0; q < kQueues; ++q)
    if (kQueueTable[q].to == step.module) pops_by_[q].push_back(static_cast<uint32_t>(popped_[q]));
  // FINISH is a barrier.
  if (step.finish)
    for (const VectorClock& last : last_) clock.Join(last);
  return clock;
}

void HappensBefore::End(const Step& step, VectorClock clock) {
  ForEachPush(step, [&](Queue queue) {
    const int q = static_cast<int>(queue);
    // At worst everything that this push does not depend on is late: of the pops, only those it
    // depends on are done.
    const int64_t surely_popped = pops_by_[q][clock[kQueueTable[q].to]];
    occupancy_[q] = std::max(occupancy_[q], std::ssize(pushed_[q]) + 1 - surely_popped);
  });
  ++clock[step.module];
  ForEachPush(step, [&](Queue queue) { pushed_[static_cast<int>(queue)].push_back(clock); });
  last_[static_cast<int>(step.module)] = clock;
}

std::array<int64_t, kQueues> HappensBefore::left_over() const {
  std::array<int64_t, kQueues> left;
  for (int q = 0; q < kQueues; ++q) left[q] = std::ssize(pushed_[q]) - popped_[q];
  return left;
}

}  // namespace vta::isa
